#include "model/keras_json.h"

#include <fmt/format.h>

#include "model/keras/importing.h"
#include "model/weights.h"

namespace wt::model {

namespace {

using json::Kind;
using json::Value;

// TensorFlow.js wraps the model in {"modelTopology": {"model_config": ...}}. Either level may be missing.
const Value& unwrapped(const Value& file) {
  const Value* model = &file;
  for (const auto* key : {"modelTopology", "model_config"}) {
    if (model->kind() != Kind::object) break;
    if (const Value* inner = model->find(key); inner != nullptr) model = inner;
  }
  return *model;
}

// Traces the model for one row, so that shapes that do not fit are reported with their place in the file.
// Without this they would be found when the training begins. Models whose input shape is not known are
// skipped.
void try_out(const LayerPtr& model, const Place& place, keras::Importing& importing) {
  const std::vector<TensorSpec> inputs = model->input_specs();
  for (const TensorSpec& spec : inputs)
    for (const std::int64_t extent : spec.shape)
      if (extent == 0) return;
  if (inputs.empty()) return;
  try {
    forward(*model, batched(inputs, 1));
  } catch (const InputError& error) {
    keras::add_problems(error, place, importing);
  }
}

}  // namespace

LayerPtr model_from_json(const Value& file, json::PassedOver* passed) {
  const Value& envelope = unwrapped(file);
  keras::Importing importing;
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
  if (model != nullptr && !importing.problems.any()) try_out(model, envelope.place(), importing);
  importing.problems.throw_if_any();
  if (passed != nullptr) passed->merge(importing.passed);
  WT_EXPECT(model != nullptr, "a model of class {} is missing without a problem", class_name);
  return model;
}

LayerPtr model_from_json_file(const std::filesystem::path& path, const Place& named_at,
                              json::PassedOver* passed) {
  return model_from_json(json::parse_file(path, named_at), passed);
}

}  // namespace wt::model
