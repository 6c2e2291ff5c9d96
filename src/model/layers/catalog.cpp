#include "model/layers/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

// Reads a list such as [null, 28, 28, 1] and drops the batch axis. An extent of null becomes 0, which accepts
// any extent.
std::optional<Shape> shape_without_batch(LayerReader& config, std::string_view key) {
  const json::Value* value = config.given(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind() != json::Kind::array || value->elements().empty()) {
    config.problem(key, fmt::format("\"{}\" is not a list of extents", key),
                   "write a list that begins with the batch axis, such as [null, 28, 28, 1]");
    return std::nullopt;
  }
  Shape shape;
  const json::Value::Elements& extents = value->elements();
  if (extents.size() > Shape::max_rank) {
    config.problem(key, fmt::format("there are {} axes", extents.size()),
                   fmt::format("at most {} are offered", Shape::max_rank));
    return std::nullopt;
  }
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const bool is_open = extents[i].kind() == json::Kind::null;
    shape.append(is_open ? 0
                         : json::convert<std::int64_t>(extents[i], config.problems(),
                                                       {.at_least = 1, .at_most = 1 << 24})
                               .value_or(1));
  }
  return shape;
}

}  // namespace

std::span<const LayerClass> layer_classes() {
  static const std::vector<LayerClass> all = [] {
    std::vector<LayerClass> merged;
    for (const auto& rows :
         {activation_rows(), attention_rows(), convolution_rows(), core_rows(), merging_rows(),
          normalization_rows(), pooling_rows(), random_rows(), recurrent_rows(), shaping_rows()})
      merged.insert(merged.end(), rows.begin(), rows.end());
    std::ranges::sort(merged, {}, &LayerClass::class_name);
    return merged;
  }();
  return all;
}

const LayerClass* find_layer_class(std::string_view class_name) {
  const std::span<const LayerClass> all = layer_classes();
  const auto row = std::ranges::find(all, class_name, &LayerClass::class_name);
  return row == all.end() ? nullptr : &*row;
}

const LayerClass* find_operation_row(std::string_view class_name) {
  const std::span<const LayerClass> all = operation_rows();
  const auto row = std::ranges::find(all, class_name, &LayerClass::class_name);
  return row == all.end() ? nullptr : &*row;
}

std::optional<TensorSpec> input_spec_from_json(LayerReader& config) {
  std::optional<Shape> shape;
  for (const auto* key : {"batch_shape", "batch_input_shape"})
    if (const auto read = shape_without_batch(config, key); read && !shape) shape = read;
  if (!shape) return std::nullopt;
  Type type = Type::float32;
  const json::Value* dtype = config.given("dtype");
  if (dtype != nullptr && dtype->kind() == json::Kind::string) {
    const std::optional<Type> named = type_named(dtype->string());
    if (dtype->string() == "string")
      config.problem("dtype", "no tensor here holds strings",
                     "number them in the dataset, and write \"int64\"");
    else if (!named || is_half(*named))
      config.problem("dtype", fmt::format("unknown type of inputs {}", dtype->text()),
                     "known: float32, float64, int32, int64, uint8");
    type = named.value_or(type);
  }
  return TensorSpec{type, *shape};
}

}  // namespace wt::model
