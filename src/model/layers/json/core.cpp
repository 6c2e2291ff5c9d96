#include "model/layers/categories.h"
#include "model/layers/dense.h"
#include "model/layers/einsum_dense.h"
#include "model/layers/embedding.h"
#include "model/layers/input.h"
#include "model/layers/json/rows.h"
#include "model/layers/masking.h"

namespace wt::model {

namespace {

LayerPtr read_input(LayerReader& r) {
  const std::optional<TensorSpec> spec = input_spec_from_json(r);
  if (!spec) r.problem("name", "the shape is not stated", "add \"batch_shape\", null for the batch axis");
  return spec ? input_layer(spec->shape, spec->type, r.name()) : nullptr;
}

LayerPtr read_dense(LayerReader& r) {
  return dense({.name = r.name(),
                .units = r.extent("units"),
                .activation = r.activation("activation"),
                .use_bias = r.flag("use_bias", true),
                .kernel = r.rule("kernel", glorot_uniform),
                .bias = r.rule("bias", zeros),
                .trainable = r.trainable()});
}

// "output_shape" is a number or a list, in which null stands for an extent that the input determines.
std::vector<std::int64_t> read_open_shape(LayerReader& r) {
  const json::Value* shape = r.given("output_shape");
  if (shape == nullptr || shape->kind() != json::Kind::array)
    return {r.maybe_extent("output_shape").value_or(0)};
  std::vector<std::int64_t> extents;
  for (const json::Value& extent : shape->elements())
    extents.push_back(
        extent.kind() == json::Kind::null
            ? 0
            : json::convert<std::int64_t>(extent, r.problems(), {.at_least = 1, .at_most = 1 << 24})
                  .value_or(1));
  return extents;
}

LayerPtr read_einsum_dense(LayerReader& r) {
  const json::Value* bias_axes = r.given("bias_axes");
  return einsum_dense({.name = r.name(),
                       .equation = r.required<std::string>("equation"),
                       .output_shape = read_open_shape(r),
                       .bias_axes = bias_axes == nullptr ? "" : r.optional<std::string>("bias_axes", ""),
                       .activation = r.activation("activation"),
                       .kernel = r.rule("kernel", glorot_uniform),
                       .bias = r.rule("bias", zeros),
                       .trainable = r.trainable()});
}

LayerPtr read_embedding(LayerReader& r) {
  return embedding({.name = r.name(),
                    .input_dim = r.table_rows("input_dim"),
                    .output_dim = r.extent("output_dim"),
                    .embeddings = r.rule("embeddings", {Uniform{}, {}}),
                    .mask_zero = r.flag("mask_zero", false),
                    .trainable = r.trainable()});
}

LayerPtr read_masking(LayerReader& r) { return masking({r.name(), r.number("mask_value", 0)}); }

constexpr json::Named<CategoryMode> category_modes[] = {{"one_hot", CategoryMode::one_hot},
                                                        {"multi_hot", CategoryMode::multi_hot},
                                                        {"count", CategoryMode::count}};

LayerPtr read_category_encoding(LayerReader& r) {
  r.value("dtype");
  return category_encoding({.name = r.name(),
                            .num_tokens = r.extent("num_tokens"),
                            .mode = r.one_of("output_mode", category_modes, CategoryMode::multi_hot)});
}

LayerPtr read_discretization(LayerReader& r) {
  for (const auto* key : {"dtype", "num_bins", "epsilon"})
    r.value(key);  // with which `adapt` has made the boundaries
  const json::Value* mode = r.given("output_mode");
  const bool is_number = mode == nullptr || (mode->kind() == json::Kind::string && mode->string() == "int");
  DiscretizationConfig config{.name = r.name(), .bin_boundaries = r.numbers("bin_boundaries", {})};
  if (!is_number) config.mode = r.one_of("output_mode", category_modes, CategoryMode::multi_hot);
  return discretization(std::move(config));
}

}  // namespace

std::span<const LayerClass> core_rows() {
  static constexpr LayerClass rows[] = {
      {"CategoryEncoding", "vectors with ones or counts for categories", read_category_encoding},
      {"Dense", "activation(x W + b) on the last axis", read_dense},
      {"Discretization", "the number of the bin in which each number lies", read_discretization},
      {"EinsumDense", "a product whose axes are named by an equation, and a bias", read_einsum_dense},
      {"Embedding", "the row of a table for each id", read_embedding},
      {"InputLayer", "declares the shape and the type of a model's input", read_input},
      {"Masking", "skips the steps of a sequence whose features all have a value", read_masking},
  };
  return rows;
}

}  // namespace wt::model
