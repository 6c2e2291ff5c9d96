// The training step of a model for tests, with labels, a loss, gradients, an optimizer and initial values.
#pragma once

#include <string>
#include <vector>

#include "model/layer.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/weights.h"
#include "model/zoo.h"
#include "support/step.h"

namespace wt::test {

inline Symbol loss_of(Trace& trace, const std::vector<Symbol>& outputs) {
  std::optional<Symbol> sum;
  for (const Symbol& output : outputs) {
    const Shape rows = output.shape().without(output.shape().rank() - 1);
    const std::string name = fmt::format("y{}", sum ? 1 : 0);
    const bool is_regression = output.shape().last() == 1;
    const Symbol labels =
        is_regression ? trace.input(name, output.spec()) : trace.input(name, {Type::int32, rows});
    const model::Loss loss = is_regression
                                 ? model::loss_named("mse")
                                 : model::loss_named("sparse_categorical_crossentropy",
                                                     {.from_logits = trace.program().nodes.empty()});
    const Symbol mean = reduce_loss(per_example_loss(loss, labels, output), model::LossReduction::auto_);
    sum = sum ? *sum + mean : mean;
  }
  return *sum;
}

struct Training {
  Step step{};
  std::vector<model::Weight> weights{};
};

inline Training training(const model::Layer& model, std::int64_t batch,
                         const std::string& optimizer = "adam") {
  Training made;
  made.step = trace("train", [&](Trace& trace) {
    model::Building building(trace, true);
    std::vector<Symbol> inputs;
    for (const TensorSpec& spec : model::batched(model.input_specs(), batch))
      inputs.push_back(trace.input(fmt::format("x{}", inputs.size()), spec));
    const Symbol loss = loss_of(trace, model(building, inputs));
    const std::vector<Symbol> variables = building.trainable();
    const Symbol rate = trace.input("learning_rate", {Type::float32, {}});
    model::apply_gradients(building, model::optimizer_named(optimizer), variables,
                           trace.gradient(loss, variables), rate);
    trace.result("loss", loss);
    made.weights = building.weights();
  });
  return made;
}

// Initial values. Labels and inputs are drawn from [0, 2), because 0 and 1 are legal classes, tokens and
// masks in all models.
inline Values starting_values(const Training& made, float learning_rate = 0.01f) {
  std::mt19937_64 random(7);
  Values given{{"learning_rate", Tensor::of<float>({}, std::vector<float>{learning_rate})}};
  for (const NamedValue& input : made.step.inputs)
    if (input.name != "learning_rate")
      given[input.name] = random_tensor({made.step.program.spec(input.value), 0, 2}, Type::float32, random);
  for (const model::Weight& weight : made.weights)
    given[weight.name] = initial_value(weight.initializer, weight.spec, weight.name, 1);
  return given;
}

// The models that are trained with numbers, in small sizes.
inline std::vector<model::ZooChoice> small_models() {
  return {
      model::zoo_model("linear"),
      model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}),
      model::zoo_model("fashion_cnn"),
      model::zoo_model("small_resnet", {{"blocks", 1}, {"image", 8}, {"classes", 2}}),
      model::zoo_model("transformer",
                       {{"layers", 1}, {"hidden", 16}, {"heads", 2}, {"sequence", 6}, {"vocabulary", 4}}),
  };
}

}  // namespace wt::test
