#include "model/layers/categories.h"
#include "model/layers/dense.h"
#include "model/layers/einsum_dense.h"
#include "model/layers/embedding.h"
#include "model/layers/input.h"
#include "model/layers/json/rows.h"
#include "model/layers/lookup.h"
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
  return category_encoding({.name = r.name(),
                            .num_tokens = r.extent("num_tokens"),
                            .mode = r.one_of("output_mode", category_modes, CategoryMode::multi_hot),
                            .type = r.integer_dtype()});
}

bool is_text(const json::Value* value, std::string_view text) {
  return value != nullptr && value->kind() == json::Kind::string && value->string() == text;
}

// None for "int", the numbers themselves.
std::optional<CategoryMode> read_mode(LayerReader& r) {
  const json::Value* mode = r.given("output_mode");
  if (mode == nullptr || is_text(mode, "int")) return std::nullopt;
  return r.one_of("output_mode", category_modes, CategoryMode::multi_hot);
}

LayerPtr read_discretization(LayerReader& r) {
  for (const auto* key : {"num_bins", "epsilon"}) r.value(key);  // with which `adapt` has made the boundaries
  return discretization({.name = r.name(),
                         .bin_boundaries = r.numbers("bin_boundaries", {}),
                         .mode = read_mode(r),
                         .type = r.integer_dtype()});
}

// To which a float64, with which the layers are made, counts.
constexpr json::Range<std::int64_t> tokens{.at_least = -(std::int64_t{1} << 53),
                                           .at_most = std::int64_t{1} << 53};

std::optional<std::int64_t> read_token(LayerReader& r, std::string_view key) {
  const json::Value* found = r.given(key);
  return found == nullptr ? std::nullopt : json::convert<std::int64_t>(*found, r.problems(), tokens);
}

// One number, which stands twice, or two.
std::optional<std::array<std::int64_t, 2>> read_salt(LayerReader& r) {
  const json::Value* found = r.given("salt");
  if (found == nullptr) return std::nullopt;
  if (found->kind() != json::Kind::array) {
    const auto one = json::convert<std::int64_t>(*found, r.problems()).value_or(0);
    return std::array{one, one};
  }
  const auto both = json::convert<std::vector<std::int64_t>>(*found, r.problems());
  if (both && both->size() != 2) r.problem("salt", "there are not two numbers", "write one number, or two");
  return both && both->size() == 2 ? std::optional(std::array{both->at(0), both->at(1)}) : std::nullopt;
}

LayerPtr read_hashing(LayerReader& r) {
  return hashing({.name = r.name(),
                  .num_bins = r.extent("num_bins"),
                  .mask_value = read_token(r, "mask_value"),
                  .salt = read_salt(r),
                  .mode = read_mode(r),
                  .type = r.integer_dtype()});
}

constexpr json::Named<UnknownTokens> unknown_tokens[] = {{"floormod", UnknownTokens::modulo},
                                                         {"farmhash", UnknownTokens::hashed}};

LayerPtr read_integer_lookup(LayerReader& r) {
  for (const auto* key : {"vocabulary_dtype", "vocabulary_size", "has_input_vocabulary"}) r.value(key);
  IntegerLookupConfig config{
      .name = r.name(),
      .num_oov_indices = r.optional<std::int64_t>("num_oov_indices", 1, {.at_least = 0, .at_most = 1 << 24}),
      .oov_token = read_token(r, "oov_token").value_or(-1),
      .mask_token = read_token(r, "mask_token"),
      .invert = r.flag("invert", false),
      .idf_weights = r.numbers("idf_weights", {}),
      .unknown = r.one_of("oov_method", unknown_tokens, UnknownTokens::modulo),
      .salt = read_salt(r),
      .type = r.integer_dtype()};
  if (const json::Value* words = r.given("vocabulary"))
    config.vocabulary = json::convert<std::vector<std::int64_t>>(*words, r.problems(), tokens)
                            .value_or(std::vector<std::int64_t>{});
  const json::Value* mode = r.given("output_mode");
  config.mode = is_text(mode, "tf_idf") ? CategoryMode::count : read_mode(r);
  if (is_text(mode, "tf_idf") == config.idf_weights.empty())
    r.problem("idf_weights", "\"tf_idf\" and \"idf_weights\" go together", "write both, or none of them");
  const std::optional<std::int64_t> most = r.maybe_extent("max_tokens");
  if (r.flag("pad_to_max_tokens", false)) config.extent = most;
  return integer_lookup(std::move(config));
}

}  // namespace

std::span<const LayerClass> core_rows() {
  static constexpr LayerClass rows[] = {
      {"CategoryEncoding", "vectors with ones or counts for categories", read_category_encoding},
      {"Dense", "activation(x W + b) on the last axis", read_dense},
      {"Discretization", "the number of the bin in which each number lies", read_discretization},
      {"EinsumDense", "a product whose axes are named by an equation, and a bias", read_einsum_dense},
      {"Embedding", "the row of a table for each id", read_embedding},
      {"Hashing", "the bin of each integer, by a hash", read_hashing},
      {"InputLayer", "declares the shape and the type of a model's input", read_input},
      {"IntegerLookup", "the index of each integer in a vocabulary, or vectors of those that occur",
       read_integer_lookup},
      {"Masking", "skips the steps of a sequence whose features all have a value", read_masking},
  };
  return rows;
}

}  // namespace wt::model
