#include "model/weights.h"

#include <fmt/format.h>

namespace wt::model {

namespace {

std::string numbered(std::string_view name, std::size_t i) {
  return i == 0 ? std::string(name) : fmt::format("{}_{}", name, i);
}

}  // namespace

Forward forward(const Layer& model, const std::vector<TensorSpec>& inputs, bool training,
                Semantics semantics) {
  Trace trace(model.name());
  Building building(trace, training, semantics);
  std::vector<Symbol> symbols;
  for (const TensorSpec& spec : inputs) symbols.push_back(trace.input(numbered("x", symbols.size()), spec));
  Forward result;
  for (const Symbol& output : model(building, symbols)) {
    trace.result(numbered("y", result.outputs.size()), output);
    result.outputs.push_back(output.spec());
  }
  result.weights = building.weights();
  result.step = std::move(trace).finish();
  return result;
}

std::vector<TensorSpec> batched(const std::vector<TensorSpec>& specs, std::int64_t batch) {
  std::vector<TensorSpec> with_batch;
  for (const TensorSpec& spec : specs) {
    Shape shape{batch};
    for (const std::int64_t extent : spec.shape) shape.append(extent);
    with_batch.push_back({spec.type, shape});
  }
  return with_batch;
}

Forward forward(const Layer& model, std::int64_t batch, bool training, Semantics semantics) {
  const std::vector<TensorSpec> specs = model.input_specs();
  bool is_known = !specs.empty();
  for (const TensorSpec& spec : specs)
    for (const std::int64_t extent : spec.shape) is_known = is_known && extent > 0;
  if (!is_known)
    throw InputError(
        fmt::format("[{}] the input shape of model \"{}\" is not known", model.class_name(), model.name()),
        "begin with an input layer that states every extent, or pass the shapes of the inputs");
  return forward(model, batched(specs, batch), training, semantics);
}

std::vector<Weight> weights_of(const Layer& model, Semantics semantics) {
  return forward(model, 1, false, semantics).weights;
}

std::vector<Symbol> trainable_of(const Building& building, const Layer& model) {
  std::vector<Symbol> symbols;
  for (const Weight& weight : weights_of(model, building.semantics()))
    if (weight.options.trainable) symbols.push_back(building.symbol(weight.name));
  return symbols;
}

ParameterCount count_parameters(const std::vector<Weight>& weights) {
  ParameterCount count;
  for (const Weight& weight : weights) {
    if (std::holds_alternative<StreamStart>(weight.initializer.rule)) continue;
    (weight.options.trainable ? count.trainable : count.not_trainable) += weight.spec.elements();
  }
  return count;
}

ParameterCount count_parameters(const Layer& model) { return count_parameters(weights_of(model)); }

}  // namespace wt::model
