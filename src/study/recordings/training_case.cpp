#include "study/recordings/training_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/json_writer.h"
#include "device/error.h"
#include "model/keras_json.h"
#include "program/placement.h"

namespace wt::recordings {

namespace {

// TensorFlow's recordings are of CPUs. Numbers don't depend on which.
constexpr const char* platform = "cpu_server";

struct RecordedOps {
  std::string_view recorded{};
  std::string_view name{};
};
constexpr RecordedOps cross_device_ops_names[] = {{"default", ""},
                                                  {"one_device", "reduction_to_one_device"},
                                                  {"hierarchical", "hierarchical_copy"},
                                                  {"hierarchical2", "hierarchical_copy"},
                                                  {"nccl", "nccl"}};

std::string name_of_ops(const std::string& recorded) {
  const auto* row = std::ranges::find(cross_device_ops_names, recorded, &RecordedOps::recorded);
  if (row == std::end(cross_device_ops_names))
    throw InputError(fmt::format("unknown cross_device_ops \"{}\"", recorded));
  return std::string(row->name);
}

// Keras 2 leaves `synchronized` out of a model's JSON, where a user has to write it. The recorded program calls such models
// "syncbn" and "convsyncbn".
json::Value with_synchronized(json::Value tree) {
  const json::Value::Elements layers = tree.find("config")->find("layers")->elements();
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i].find("class_name")->string() == "BatchNormalization")
      tree = json::replaced(
          tree, std::vector<std::string>{"config", "layers", std::to_string(i), "config", "synchronized"},
          json::parse("true", "synchronized"));
  return tree;
}

std::string_view kind_of(const InputError& error) {
  if (dynamic_cast<const InvalidArgumentError*>(&error) != nullptr) return "InvalidArgumentError";
  if (dynamic_cast<const device::ValueError*>(&error) != nullptr) return "ValueError";
  if (dynamic_cast<const device::RuntimeError*>(&error) != nullptr) return "RuntimeError";
  return "InputError";
}

// Names of nodes, and the attributes of operations, depend on what else TensorFlow's graph has. The lines of an error inside
// of a function are indented.
std::string without_nodes(const std::string& sentence) {
  const std::size_t attributes = sentence.find(" with these attrs"),
                    node = sentence.find("placeholder tensor"),
                    arguments = sentence.find("Arguments received by");
  static const std::regex space("\\s+");
  std::string line =
      std::regex_replace(sentence.substr(0, std::min({attributes, node, arguments})), space, " ");
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

distribute::Strategy recorded_strategy(const std::string& strategy, const std::string& cross_device_ops) {
  const auto digit = strategy.find_first_of("0123456789");
  const std::size_t replicas = digit == std::string::npos ? 1 : std::stoul(strategy.substr(digit));
  distribute::LogicalDevices logical;
  if (replicas > 1) logical["CPU:0"] = std::vector<Bytes>(replicas);
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < replicas; ++i) devices.push_back(fmt::format("CPU:{}", i));
  std::optional<int> packs;
  if (cross_device_ops == "hierarchical2") packs = 2;
  if (strategy == "one") return distribute::one_device({.platform = platform, .device = "CPU:0"});
  if (strategy.starts_with("mirrored"))
    return distribute::mirrored({.platform = platform,
                                 .devices = devices,
                                 .cross_device_ops = name_of_ops(cross_device_ops),
                                 .num_packs = packs,
                                 .logical = logical});
  if (strategy.starts_with("central"))
    return distribute::central_storage(
        {.platform = platform, .compute_devices = devices, .parameter_device = "CPU:0", .logical = logical});
  return distribute::default_strategy(platform);
}

model::LayerPtr recorded_model(const Recording& recording, std::string_view text) {
  const json::Value tree = json::parse(recording.text(text)->string(), std::string(text));
  const json::Value* name = recording.config("model");
  const bool is_synchronized =
      name != nullptr && name->kind() == json::Kind::string && name->string().ends_with("syncbn");
  return model::model_from_json(
      is_synchronized && recording.semantics() == model::Semantics::keras2 ? with_synchronized(tree) : tree);
}

model::Loss recorded_loss(const std::string& name) {
  using model::LossReduction;
  if (name == "scce") return model::loss_named("SparseCategoricalCrossentropy", {.from_logits = true});
  if (name == "scce_sum")
    return model::loss_named("SparseCategoricalCrossentropy",
                             {.from_logits = true, .reduction = LossReduction::sum});
  if (name == "scce_probs") return model::loss_named("sparse_categorical_crossentropy");
  if (name == "cce_probs") return model::loss_named("categorical_crossentropy");
  if (name == "bce" || name == "bce_logits")
    return model::loss_named("BinaryCrossentropy", {.from_logits = true});
  return model::loss_named(name);
}

model::Optimizer recorded_optimizer(const json::Value& written, model::Semantics semantics) {
  json::Writer out;
  if (written.kind() == json::Kind::string) {
    out.value(written.string());
  } else {
    out.begin_object().member("class_name", written.elements()[0].string()).key("config").begin_object();
    for (const json::Member& argument : written.elements()[1].members()) {
      out.key(argument.key);
      if (argument.key == "learning_rate" && argument.value.kind() == json::Kind::object) {
        out.begin_object().member("class_name", "ExponentialDecay").key("config");
        json::write_value(out, argument.value);
        out.end_object();
      } else {
        json::write_value(out, argument.value);
      }
    }
    out.end_object().end_object();
  }
  Problems problems;
  const auto optimizer = model::read_optimizer(json::parse(out.text(), "optimizer"), problems, semantics);
  problems.throw_if_any();
  return *optimizer;
}

TrainingCase::TrainingCase(const Recording& given, Comparison& of)
    : recording(given),
      comparison(of),
      tensors(given.tensors()),
      layer(recorded_model(given)),
      optimizer(recorded_optimizer(*given.config("optimizer"), given.semantics())),
      strategy(
          recorded_strategy(given.config("strategy")->string(), given.config("cross_device_ops")->string())) {
  strategy.resources().faithful = true;
  state.preset(weights("initial"));
}

// The labels of a model with several outputs are recorded by the outputs' names.
std::vector<Tensor> TrainingCase::rows() const {
  if (tensors.contains("y")) return {tensors.at("x"), tensors.at("y")};
  std::vector<Tensor> columns{tensors.at("x")};
  for (const std::string& output : layer->output_names()) columns.push_back(tensors.at(output));
  return columns;
}

std::vector<Tensor> TrainingCase::weighted_rows() const {
  std::vector<Tensor> columns = rows();
  if (tensors.contains("sample_weight")) columns.push_back(tensors.at("sample_weight"));
  return columns;
}

Tensors TrainingCase::weights(const std::string& when) const {
  return recorded_weights(when, tensors, *layer, semantics());
}

void TrainingCase::compare_end(const Tensors& ours) const {
  for (const auto& [name, theirs] : weights("final"))
    comparison.near(fmt::format("{} at the end", name), ours.at(name), theirs, weight_limit);
  compare_optimizer_variables("optimizer/", tensors, {optimizer, state, layer->name(), semantics()},
                              comparison);
}

void TrainingCase::compare_series(const std::string& name, const std::vector<double>& ours) const {
  std::vector<float> numbers(ours.begin(), ours.end());
  comparison.near(name, Tensor::of<float>({std::ssize(numbers)}, numbers), tensors.at(name), loss_limit);
}

bool ends_in_error(const Recording& recording) {
  const json::Value* error = recording.error("program");
  return error != nullptr && error->find("type")->kind() == json::Kind::string;
}

void ends_as_recorded(const Recording& recording, Comparison& comparison, const std::function<void()>& run,
                      const std::function<void()>& compare) {
  if (!ends_in_error(recording)) {
    run();
    return compare();
  }
  const json::Value& error = *recording.error("program");
  try {
    run();
    comparison.fail("the program goes on, recorded is " + error.find("type")->string());
  } catch (const InputError& ours) {
    comparison.same("the error", kind_of(ours), error.find("type")->string());
    comparison.same("the error", without_nodes(ours.problems().front().fact),
                    without_nodes(error.find("sentence")->string()));
  }
}

}  // namespace wt::recordings
