#include "scenario/job/model.h"

#include <algorithm>
#include <utility>

#include "base/file_kind.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "base/suggest.h"
#include "model/keras_file.h"
#include "model/keras_json.h"
#include "scenario/input_files.h"
#include "scenario/job/placed.h"
#include "tensor/safetensors.h"

namespace wt::scenario {

namespace {

// The model in the form in which Keras writes it, so that there is one reader of layers.
json::Value architecture_of(const InlineModel& written) {
  const json::Value frame = json::parse(
      R"({"class_name": "Sequential", "config": {"name": "", "layers": []}})", "a model of layers");
  const std::vector<std::string> to_name{"config", "name"}, to_layers{"config", "layers"};
  const json::Value named =
      json::replaced(frame, to_name, json::parse(json::quote(written.name), "its name"));
  return json::replaced(named, to_layers, *written.layers);
}

json::Value architecture_of(const KerasModel& keras, const Place& place) {
  if (const auto* file = std::get_if<InputPath>(&keras.keras_json))
    return json::parse_file(existing(*file, place), place);
  return std::get<json::Value>(keras.keras_json);
}

json::Value architecture_of(const SavedKerasModel& saved, const Place& place) {
  if (!is_folder(saved.keras.path)) existing(saved.keras, place);
  return model::read_saved_model(saved.keras.path, place).architecture;
}

// Requires all weights of the model and no others, since a model that is half initialised would train unnoticed.
std::map<std::string, Tensor> read_weights(const InputPath& file, const model::Layer& model,
                                           const std::vector<model::Weight>& weights, const Place& place) {
  if (model::container_of(existing(file, place), place) != model::Container::other)
    return model::read_saved_weights(file.path, model, weights, place);
  std::map<std::string, Tensor> tensors = read_safetensors(file.path, place).tensors;
  Problems problems;
  std::vector<std::string_view> known;
  for (const model::Weight& weight : weights) {
    if (std::holds_alternative<model::StreamStart>(weight.initializer.rule)) continue;
    known.push_back(weight.name);
    const auto found = tensors.find(weight.name);
    if (found == tensors.end()) {
      problems.add(place, fmt::format("{} has no \"{}\"", file.path, weight.name),
                   fmt::format("the model has {} there", print(weight.spec)));
    } else if (found->second.spec() != weight.spec) {
      problems.add(place,
                   fmt::format("\"{}\" is {} in {}", weight.name, print(found->second.spec()), file.path),
                   fmt::format("the model has {} there", print(weight.spec)));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems.add(place, fmt::format("the model has no weight \"{}\", and {} has", name, file.path),
                 did_you_mean(name, known));
  }
  problems.throw_if_any();
  return tensors;
}

}  // namespace

model::LayerPtr make_model(const Scenario& scenario, Job& job) {
  if (const auto* zoo = std::get_if<model::ZooChoice>(&scenario.model.form)) return zoo->build();
  Place place = scenario.place("model.keras_json");
  job.architecture = std::visit(
      overloaded{[](const model::ZooChoice&) { return std::optional<json::Value>{}; },
                 [](const InlineModel& layers) { return std::optional(architecture_of(layers)); },
                 [&](const KerasModel& keras) { return std::optional(architecture_of(keras, place)); },
                 [&](const SavedKerasModel& saved) {
                   place = scenario.place("model.keras");
                   return std::optional(architecture_of(saved, place));
                 }},
      scenario.model.form);
  json::PassedOver passed;
  model::LayerPtr model = model::model_from_json(*job.architecture, &passed);
  if (!passed.empty())
    job.notes.push_back(
        {place,
         fmt::format("the model has keys that are unknown here and have no value, so they are "
                     "passed over: {}",
                     fmt::join(passed, ", ")),
         ""});
  return model;
}

std::vector<TensorSpec> wanted_inputs(const model::Layer& model) {
  const std::vector<TensorSpec> specs = model.input_specs();
  for (const TensorSpec& spec : specs)
    if (std::any_of(spec.shape.begin(), spec.shape.end(), [](auto n) { return n <= 0; })) return {};
  return specs;
}

std::optional<model::Forward> trace_model(const model::Layer& model, const std::vector<TensorSpec>& inputs,
                                          const Scenario& scenario, Problems& problems) {
  return placed(scenario.place("model"), problems,
                [&] { return model::forward(model, model::batched(inputs, 2), false, scenario.semantics); });
}

std::map<std::string, Tensor> read_initial_weights(const Scenario& scenario, const Job& job,
                                                   Problems& problems) {
  const auto* saved = std::get_if<SavedKerasModel>(&scenario.model.form);
  const InputPath* file = scenario.model.weights ? &*scenario.model.weights
                          : saved != nullptr     ? &saved->keras
                                                 : nullptr;
  if (file == nullptr || scenario.numerics == Numerics::none) return {};
  const Place place = scenario.place(scenario.model.weights ? "model.weights" : "model.keras");
  return placed(place, problems, [&] { return read_weights(*file, *job.model, job.weights, place); })
      .value_or(std::map<std::string, Tensor>{});
}

}  // namespace wt::scenario
