#include "model/keras_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/keras/importing.h"
#include "model/weights.h"

namespace wt::model {

namespace {

using json::Kind;
using json::Value;

// Traces the model for one row as the version of Keras that wrote it does, so that shapes that do not fit are reported with their place in the file.
// Without this they would be found when the training begins. Models whose input shape is not known are
// skipped.
void try_out(const LayerPtr& model, Semantics semantics, const Place& place, keras::Importing& importing) {
  const std::vector<TensorSpec> inputs = model->input_specs();
  for (const TensorSpec& spec : inputs)
    for (const std::int64_t extent : spec.shape)
      if (extent == 0) return;
  if (inputs.empty()) return;
  try {
    forward(*model, batched(inputs, 1), false, semantics);
  } catch (const InputError& error) {
    keras::add_problems(error, place, importing);
  }
}

// Whether any "dtype" in the file names a mixed policy, as a word or as {"config": {"name": "mixed_float16"}}.
bool names_mixed_policy(const Value& part, bool is_of_dtype = false) {
  if (part.kind() == Kind::string) return is_of_dtype && part.string().starts_with("mixed_");
  if (part.kind() == Kind::object)
    return std::ranges::any_of(part.members(), [&](const json::Member& member) {
      return names_mixed_policy(member.value, is_of_dtype || member.key == "dtype");
    });
  return part.kind() == Kind::array && std::ranges::any_of(part.elements(), [&](const Value& element) {
           return names_mixed_policy(element, is_of_dtype);
         });
}

std::optional<WrittenBy> by_shape_of_input(const Value& part) {
  if (part.kind() == Kind::object) {
    if (part.find("batch_input_shape") != nullptr) return WrittenBy{Semantics::keras2, "Keras 2"};
    if (part.find("batch_shape") != nullptr) return WrittenBy{Semantics::keras3, "Keras 3"};
    for (const json::Member& member : part.members())
      if (auto found = by_shape_of_input(member.value)) return found;
  } else if (part.kind() == Kind::array) {
    for (const Value& element : part.elements())
      if (auto found = by_shape_of_input(element)) return found;
  }
  return std::nullopt;
}

}  // namespace

// TensorFlow.js wraps the model in {"modelTopology": {"model_config": ...}}. Either level may be missing.
const Value& unwrapped_model(const Value& file) {
  const Value* model = &file;
  for (const auto* key : {"modelTopology", "model_config"}) {
    if (model->kind() != Kind::object) break;
    if (const Value* inner = model->find(key); inner != nullptr) model = inner;
  }
  return *model;
}

LayerPtr model_from_json(const Value& file, json::PassedOver* passed) {
  const Value& envelope = unwrapped_model(file);
  keras::Importing importing{.has_mixed_policies = names_mixed_policy(envelope)};
  json::Reader reader(envelope, importing.problems);
  // Keras writes these keys; they do not change the architecture.
  for (const auto* key : {"keras_version", "backend", "module", "registered_name", "build_config",
                          "compile_config", "training_config"})
    reader.value(key);
  const std::string class_name = reader.required<std::string>("class_name");
  reader.value("config");
  reader.finish(importing.passed);
  LayerPtr model;
  if (!importing.problems.any()) {
    if (!keras::is_model(class_name))
      importing.problems.add(reader.place("class_name"),
                             fmt::format("this is a {}, not a model", envelope.find("class_name")->text()),
                             "known: Sequential, Functional");
    else
      model = keras::read_layer(envelope, importing);
  }
  if (model != nullptr && importing.has_mixed_policies) model->compute_in(Type::float32);
  if (model != nullptr && !importing.problems.any())
    try_out(model, written_by(file).value_or(WrittenBy{}).semantics, envelope.place(), importing);
  importing.problems.throw_if_any();
  if (passed != nullptr) passed->merge(importing.passed);
  WT_EXPECT(model != nullptr, "a model of class {} is missing without a problem", class_name);
  return model;
}

std::optional<WrittenBy> written_by(const Value& file) {
  for (const Value* level : {&file, &unwrapped_model(file)}) {
    const Value* number = level->kind() == Kind::object ? level->find("keras_version") : nullptr;
    if (number == nullptr || number->kind() != Kind::string) continue;
    const bool is_third = number->string().starts_with("3");
    return WrittenBy{is_third ? Semantics::keras3 : Semantics::keras2, "Keras " + number->string()};
  }
  return by_shape_of_input(file);
}

LayerPtr model_from_json_file(const std::filesystem::path& path, const Place& named_at,
                              json::PassedOver* passed) {
  return model_from_json(json::parse_file(path, named_at), passed);
}

}  // namespace wt::model
