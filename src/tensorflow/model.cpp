#include "tensorflow/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "model/functional.h"
#include "model/keras_json.h"
#include "model/layers/written.h"
#include "model/sequential.h"
#include "tensorflow/objects.h"

namespace wt::tensorflow {

namespace {

using model::Functional;
using model::Layer;
using model::Sequential;

[[noreturn]] void refuse(const Layer& layer, std::string fact, std::string remedy) {
  throw InputError(fmt::format("[{}] layer \"{}\": {}", layer.class_name(), layer.name(), fact),
                   std::move(remedy));
}

// ---- The arguments of layers

// The JSON of each layer, by the layer that was made from it.
class Written {
 public:
  void add(const Layer& layer, const json::Value& entry) {
    const json::Value& config = *entry.find("config");
    if (const auto* sequential = dynamic_cast<const Sequential*>(&layer))
      return add_list(*sequential, config);
    if (const auto* functional = dynamic_cast<const Functional*>(&layer))
      return add_named(*functional, config);
    if (is_operation(entry))
      refuse(layer, "it is an operation, which Keras writes as if it were a layer",
             "write the model with layers alone, such as Add and Multiply");
    configs_.emplace(&layer, &config);
  }
  const json::Value* find(const Layer& layer) const {
    const auto found = configs_.find(&layer);
    return found == configs_.end() ? nullptr : found->second;
  }

 private:
  // Keras 2 writes TFOpLambda and SlicingOpLambda, and Keras 3 a class of the module keras.src.ops.
  static bool is_operation(const json::Value& entry) {
    const json::Value* module = entry.find("module");
    return entry.find("class_name")->string().ends_with("OpLambda") ||
           (module != nullptr && module->kind() == json::Kind::string &&
            module->string().find(".ops") != std::string::npos);
  }

  // The reader may have put an Input in front.
  void add_list(const Sequential& model, const json::Value& config) {
    const json::Value::Elements& entries = config.find("layers")->elements();
    const std::size_t before = model.layers().size() - entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) add(*model.layers()[before + i], entries[i]);
  }
  void add_named(const Functional& model, const json::Value& config) {
    for (const json::Value& entry : config.find("layers")->elements()) {
      const json::Value* name =
          entry.find("name") != nullptr ? entry.find("name") : entry.find("config")->find("name");
      for (const auto& layer : model.parts())
        if (name != nullptr && layer->name() == name->string()) add(*layer, entry);
    }
  }

  std::map<const Layer*, const json::Value*> configs_{};
};

// ---- The text

class ModelText {
 public:
  ModelText(const Written& written, model::Semantics semantics) : written_(written), semantics_(semantics) {}

  Lines function(const Layer& model) {
    body_.add("layers = tf.keras.layers");
    const std::string name = build(model);
    body_.add("return " + name);
    Lines lines;
    lines.add("def make_model():").indented([&] { lines.append(body_); });
    return lines;
  }

 private:
  // Adds the statements that make the model, or the layer, and returns the variable that it is in.
  std::string build(const Layer& layer);
  void build_sequential(const Sequential& model, const std::string& variable);
  void build_functional(const Functional& model, const std::string& variable);
  Expression layer_expression(const Layer& layer);
  Expression called(const Layer& layer, const Functional::Node& node, std::vector<std::string> inputs);
  void freeze(const Layer& model, const std::string& variable);
  std::string variable_for(std::string_view wish) { return variable_name(wish, taken_); }

  const Written& written_;
  model::Semantics semantics_;
  Lines body_{};
  std::vector<std::string> taken_{};
  std::map<const Layer*, std::string> built_{};  // models, and layers that are called several times
};

Expression input_expression(const TensorSpec& spec, const std::string& name) {
  Expression input = call("tf.keras.Input").with("shape", extents_of(spec.shape));
  if (spec.type != Type::float32) input.with("dtype", literal(wt::name(spec.type)));
  if (!name.empty()) input.with("name", literal(name));
  return input;
}

// As one expression. Requires: no model.
Expression ModelText::layer_expression(const Layer& layer) {
  if (layer.class_name() == "InputLayer") return input_expression(layer.input_specs().front(), layer.name());
  if (const auto built = built_.find(&layer); built != built_.end()) return built->second;
  Expression made = call(fmt::format("layers.{}", layer.class_name()));
  if (const json::Value* config = written_.find(layer)) {
    add_arguments(made, layer.class_name(), *config, semantics_);
    if (config->find("name") == nullptr) made.with("name", literal(layer.name()));
    return made;
  }
  const auto* writes = dynamic_cast<const model::WritesArguments*>(&layer);
  if (writes == nullptr)
    refuse(layer, "the zoo's model has it, and this class is only written from Keras' JSON",
           R"(save the model in Keras, and name the file: "model": {"keras_json": "model.json"})");
  json::Writer arguments(json::Layout::compact);
  arguments.begin_object().member("name", layer.name());
  writes->write_arguments(arguments);
  arguments.end_object();
  add_arguments(made, layer.class_name(), json::parse(arguments.text(), "a layer"), semantics_);
  return made;
}

std::string ModelText::build(const Layer& layer) {
  if (const auto built = built_.find(&layer); built != built_.end()) return built->second;
  const std::string variable = variable_for(layer.name());
  if (const auto* sequential = dynamic_cast<const Sequential*>(&layer))
    build_sequential(*sequential, variable);
  else if (const auto* functional = dynamic_cast<const Functional*>(&layer))
    build_functional(*functional, variable);
  else
    body_.assign(variable, layer_expression(layer));
  built_.emplace(&layer, variable);
  return variable;
}

void ModelText::build_sequential(const Sequential& model, const std::string& variable) {
  Expression layers = list({});
  for (const model::LayerPtr& layer : model.layers())
    layers.with(layer->parts().empty() ? layer_expression(*layer) : Expression(build(*layer)));
  body_.assign(variable, call("tf.keras.Sequential").with(layers).with("name", literal(model.name())));
  freeze(model, variable);
}

// A model that isn't trainable freezes all that is in it. A layer's own "trainable" is among its arguments.
void ModelText::freeze(const Layer& model, const std::string& variable) {
  if (!model.trainable()) body_.add(variable + ".trainable = False");
}

// ---- Calls

// How a layer takes several inputs.
enum class Takes : std::uint8_t { list, arguments, states };
Takes takes(const Layer& layer) {
  constexpr std::string_view with_arguments[] = {"MultiHeadAttention", "GroupQueryAttention",
                                                 "GroupedQueryAttention"};
  constexpr std::string_view with_states[] = {"SimpleRNN", "GRU",           "LSTM",
                                              "RNN",       "Bidirectional", "ConvLSTM2D"};
  if (std::ranges::count(with_arguments, layer.class_name()) > 0) return Takes::arguments;
  return std::ranges::count(with_states, layer.class_name()) > 0 ? Takes::states : Takes::list;
}

Expression ModelText::called(const Layer& layer, const Functional::Node& node,
                             std::vector<std::string> inputs) {
  const model::CallOptions& options = node.options;
  if (!options.constants.empty() || !options.slices.empty() || !options.keywords.empty())
    refuse(layer, "it is an operation on numbers, which Keras writes as if it were a layer",
           "write the model with layers alone");
  std::vector<std::pair<std::string, std::string>> keywords;
  const auto take_last = [&](std::string_view keyword) {
    keywords.emplace_back(keyword, inputs.back());
    inputs.pop_back();
  };
  if (!options.masked_inputs.empty()) {
    if (options.masked_inputs != std::vector<std::size_t>{0})
      refuse(layer, "the call has masks of several inputs", "attach them by a layer Masking");
    take_last("mask");
  }
  if (options.attention_mask_is_last) take_last("attention_mask");
  if (options.use_causal_mask) keywords.emplace_back("use_causal_mask", "True");
  if (options.return_attention_scores) keywords.emplace_back("return_attention_scores", "True");
  if (options.training) keywords.emplace_back("training", literal(*options.training));

  Expression arguments = call("");
  const Takes how = inputs.size() > 1 ? takes(layer) : Takes::arguments;
  if (how == Takes::arguments)
    for (const std::string& input : inputs) arguments.with(input);
  if (how == Takes::states) {
    arguments.with(inputs.front());
    arguments.with("initial_state", list({inputs.begin() + 1, inputs.end()}));
  }
  if (how == Takes::list) arguments.with(list({inputs.begin(), inputs.end()}));
  for (const auto& [keyword, value] : keywords) arguments.with(keyword, value);
  const Expression callee = layer.parts().empty() ? layer_expression(layer) : Expression(build(layer));
  return callee.followed_by(arguments.print(0));
}

void ModelText::build_functional(const Functional& model, const std::string& variable) {
  const Functional::Graph& graph = model.graph();
  std::map<const Layer*, int> calls;
  std::set<std::size_t> with_outputs;  // nodes whose result is a list
  const auto note = [&](const Functional::Reference& reference) {
    if (reference.output > 0) with_outputs.insert(reference.node);
  };
  for (const Functional::Node& node : graph.nodes) {
    ++calls[node.layer.get()];
    std::ranges::for_each(node.inputs, note);
  }
  std::ranges::for_each(graph.outputs, note);

  std::vector<std::string> variables;
  const auto name_of = [&](const Functional::Reference& reference) {
    const std::string& name = variables[reference.node];
    return with_outputs.contains(reference.node) ? fmt::format("{}[{}]", name, reference.output) : name;
  };
  for (const Functional::Node& node : graph.nodes) {
    const Layer& layer = *node.layer;
    const bool is_input = layer.class_name() == "InputLayer" && node.inputs.empty();
    if (!is_input && calls[&layer] > 1 && layer.parts().empty() && !built_.contains(&layer)) {
      const std::string shared = variable_for(layer.name() + "_layer");
      body_.assign(shared, layer_expression(layer));
      built_.emplace(&layer, shared);
    }
    std::vector<std::string> inputs;
    for (const Functional::Reference& input : node.inputs) inputs.push_back(name_of(input));
    const Expression value = is_input ? layer_expression(layer) : called(layer, node, std::move(inputs));
    variables.push_back(variable_for(layer.parts().empty() ? layer.name() : layer.name() + "_output"));
    body_.assign(variables.back(), value);
  }
  const auto one_or_list = [](const std::vector<std::string>& names) {
    return names.size() == 1 ? Expression(names.front()) : list({names.begin(), names.end()});
  };
  std::vector<std::string> inputs, outputs;
  for (const std::size_t input : graph.inputs) inputs.push_back(variables[input]);
  for (const Functional::Reference& output : graph.outputs) outputs.push_back(name_of(output));
  body_.assign(variable, call("tf.keras.Model")
                             .with("inputs", one_or_list(inputs))
                             .with("outputs", one_or_list(outputs))
                             .with("name", literal(model.name())));
  freeze(model, variable);
}

}  // namespace

Lines model_function(const Subject& subject) {
  const scenario::Job& job = subject.job;
  try {
    Written written;
    if (job.architecture) written.add(*job.model, model::unwrapped_model(*job.architecture));
    return ModelText(written, subject.keras()).function(*job.model);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.place.file.empty()) problem.place = subject.scenario.place("model");
    throw InputError(std::move(problems));
  }
}

}  // namespace wt::tensorflow
