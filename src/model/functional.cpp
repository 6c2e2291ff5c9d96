#include "model/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace wt::model {

namespace {

using Graph = Functional::Graph;

// Walks from the outputs back to the inputs and numbers the recorded calls in topological order. It keeps an
// explicit stack, because recursion could overflow the call stack for a model of many layers.
class Flattening {
 public:
  Graph of(std::string_view model, const std::vector<Output>& inputs, const std::vector<Output>& outputs) {
    for (const Output& input : inputs) graph_.inputs.push_back(visit(input.by.get()));
    const std::size_t listed = graph_.nodes.size();
    for (const Output& output : outputs) graph_.outputs.push_back({visit(output.by.get()), output.index});
    for (std::size_t i = listed; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].inputs.empty())
        throw InputError(fmt::format("[Functional] model \"{}\": an output depends on {}, which is not among "
                                     "the inputs",
                                     model, describe(*graph_.nodes[i].layer)),
                         "list every input that the outputs need");
    return std::move(graph_);
  }

 private:
  static std::string describe(const Layer& layer) {
    return layer.name().empty() ? "an input without a name" : fmt::format("input \"{}\"", layer.name());
  }

  // Returns the number of the call's node. All calls on which it depends receive their numbers first.
  std::size_t visit(const Calling* wanted) {
    std::vector<const Calling*> waiting{wanted};
    while (!waiting.empty()) {
      const Calling* calling = waiting.back();
      const auto lacks_number = [&](const Output& input) { return !numbers_.contains(input.by.get()); };
      if (numbers_.contains(calling)) {
        waiting.pop_back();
      } else if (std::ranges::any_of(calling->inputs, lacks_number)) {
        for (auto input = calling->inputs.rbegin(); input != calling->inputs.rend(); ++input)
          if (lacks_number(*input)) waiting.push_back(input->by.get());
      } else {
        add(*calling);
      }
    }
    return numbers_.at(wanted);
  }

  void add(const Calling& calling) {
    Functional::Node node{calling.layer, {}, calling.options};
    for (const Output& input : calling.inputs)
      node.inputs.push_back({numbers_.at(input.by.get()), input.index});
    numbers_.emplace(&calling, graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
  }

  Graph graph_{};
  // Never iterated, because the order of addresses differs from run to run.
  std::map<const Calling*, std::size_t> numbers_{};
};

std::vector<LayerPtr> layers_of(const Graph& graph) {
  std::vector<LayerPtr> layers;
  std::set<const Layer*> seen;
  for (const Functional::Node& node : graph.nodes)
    if (seen.insert(node.layer.get()).second) layers.push_back(node.layer);
  return layers;
}

}  // namespace

Output LayerPtr::operator()(const Output& input, const CallOptions& options) const {
  return (*this)(std::vector<Output>{input}, options);
}

Output LayerPtr::operator()(const std::vector<Output>& inputs, const CallOptions& options) const {
  return {std::make_shared<Calling>(Calling{*this, inputs, options}), 0};
}

Output input(const Shape& shape, Type type, std::string name) {
  return {std::make_shared<Calling>(Calling{input_layer(shape, type, std::move(name)), {}, {}}), 0};
}

Functional::Functional(const std::string& name, const std::vector<Output>& inputs,
                       const std::vector<Output>& outputs, bool trainable)
    : Functional(name, Flattening().of(name, inputs, outputs), trainable) {}

Functional::Functional(std::string name, Graph graph, bool trainable)
    : Layer(std::move(name), trainable), graph_(std::move(graph)) {
  if (graph_.inputs.empty() || graph_.outputs.empty())
    refuse("it has no inputs or no outputs", "list at least one of each");
  for (const std::size_t input : graph_.inputs) {
    const Node& node = graph_.nodes.at(input);
    if (!node.inputs.empty() || node.layer->class_name() != "InputLayer")
      refuse(fmt::format("layer \"{}\" is listed as an input and is a {}", node.layer->name(),
                         node.layer->class_name()),
             "inputs are made by input()");
  }
  name_layers(*this, layers_of(graph_));
}

std::vector<std::shared_ptr<Layer>> Functional::parts() const {
  const std::vector<LayerPtr> layers = layers_of(graph_);
  return {layers.begin(), layers.end()};
}

std::vector<TensorSpec> Functional::input_specs() const {
  std::vector<TensorSpec> specs;
  for (const std::size_t input : graph_.inputs)
    specs.push_back(graph_.nodes[input].layer->input_specs().front());
  return specs;
}

// As in Keras, the second output of the same layer gets the suffix _1, the third _2, and so on.
std::vector<std::string> Functional::output_names() const {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const Reference& output : graph_.outputs) {
    const std::string& name = graph_.nodes[output.node].layer->name();
    const int before = uses[name]++;
    names.push_back(before == 0 ? name : fmt::format("{}_{}", name, before));
  }
  return names;
}

std::vector<Symbol> Functional::call(Building& building, const std::vector<Symbol>& inputs) const {
  if (inputs.size() != graph_.inputs.size())
    refuse(fmt::format("it takes {} inputs and is given {}", graph_.inputs.size(), inputs.size()));
  std::vector<std::vector<Symbol>> values(graph_.nodes.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph_.inputs[i]] = {inputs[i]};
  const auto value_of = [&](const Reference& reference) {
    const std::vector<Symbol>& outputs = values[reference.node];
    const Layer& layer = *graph_.nodes[reference.node].layer;
    if (reference.output >= outputs.size())
      refuse(fmt::format("output {} of layer \"{}\" does not exist", reference.output, layer.name()),
             fmt::format("number of its outputs: {}, counted from 0", outputs.size()));
    return outputs[reference.output];
  };
  const bool holds = is_on(Switch::training_in_a_call_holds, building.semantics());
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    std::vector<Symbol> arguments = values[i];  // the argument of an InputLayer; empty for other layers
    for (const Reference& reference : node.inputs) arguments.push_back(value_of(reference));
    CallOptions options = node.options;
    if (!holds) options.training.reset();
    values[i] = (*node.layer)(building, arguments, options);
  }
  std::vector<Symbol> outputs;
  for (const Reference& reference : graph_.outputs) outputs.push_back(value_of(reference));
  return outputs;
}

LayerPtr functional(const std::string& name, const std::vector<Output>& inputs,
                    const std::vector<Output>& outputs) {
  return std::make_shared<Functional>(name, inputs, outputs);
}

}  // namespace wt::model
