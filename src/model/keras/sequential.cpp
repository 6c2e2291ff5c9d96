#include "model/sequential.h"

#include "model/keras/importing.h"
#include "model/layers/catalog.h"

namespace wt::model::keras {

namespace {

using json::Kind;
using json::Value;

// The input of a Sequential model without an InputLayer. The first layer may state its shape, or the model
// does with "build_input_shape".
std::optional<TensorSpec> stated_input(const Value& model, const Value& first_entry, Importing& importing) {
  Problems discarded;  // the layer has been read before, and its problems have been reported then
  if (const Value* config = first_entry.find("config"); config != nullptr && config->kind() == Kind::object) {
    LayerReader reader(*config, discarded);
    if (auto spec = input_spec_from_json(reader)) return spec;
  }
  const Value* shape = model.find("build_input_shape");
  if (shape == nullptr || shape->kind() != Kind::array || shape->elements().empty()) return std::nullopt;
  TensorSpec spec;
  for (std::size_t i = 1; i < shape->elements().size(); ++i) {
    const Value& extent = shape->elements()[i];
    if (spec.shape.rank() == Shape::max_rank - 1) return std::nullopt;
    spec.shape.append(
        extent.kind() == Kind::null
            ? 0
            : json::convert<std::int64_t>(extent, importing.problems, {.at_least = 1, .at_most = 1 << 24})
                  .value_or(1));
  }
  return spec;
}

LayerPtr read_sequential(const Value& config, Importing& importing) {
  LayerReader reader(config, importing.problems);
  for (const auto* key : {"dtype", "build_input_shape", "build_config"}) reader.value(key);
  const std::string name = reader.name();
  const bool trainable = reader.trainable();
  const Value::Elements& entries = reader.array("layers");
  reader.finish(importing.passed);
  std::vector<LayerPtr> layers;
  for (const Value& entry : entries)
    if (LayerPtr layer = read_layer(entry, importing)) layers.push_back(std::move(layer));
  if (layers.size() != entries.size()) return nullptr;
  if (!layers.empty() && layers[0]->input_specs().empty())
    if (const auto spec = stated_input(config, entries[0], importing))
      layers.insert(layers.begin(), input_layer(spec->shape, spec->type));
  return std::make_shared<Sequential>(name, std::move(layers), trainable);
}

}  // namespace

LayerPtr read_model(std::string_view class_name, const Value& config, Importing& importing) {
  try {
    if (class_name == "Sequential") return read_sequential(config, importing);
    return read_functional(config, importing);
  } catch (const InputError& error) {
    add_problems(error, config.place(), importing);
    return nullptr;
  }
}

void add_problems(const InputError& error, const Place& place, Importing& importing) {
  const auto* of_layer = dynamic_cast<const LayerError*>(&error);
  const auto known = of_layer == nullptr ? importing.places.end() : importing.places.find(of_layer->layer());
  for (Problem problem : error.problems()) {
    if (problem.place.line == 0) problem.place = known == importing.places.end() ? place : known->second;
    importing.problems.add(std::move(problem));
  }
}

}  // namespace wt::model::keras
