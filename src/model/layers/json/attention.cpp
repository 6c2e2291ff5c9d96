#include "model/layers/attention.h"

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

// Keras writes the size of the output as a number or, in version 3, as the shape of an output element.
std::vector<std::int64_t> read_output_shape(LayerReader& r) {
  const json::Value* shape = r.given("output_shape");
  if (shape == nullptr) return {};
  if (shape->kind() == json::Kind::array) return r.extents("output_shape");
  return {r.maybe_extent("output_shape").value_or(1)};
}

LayerPtr read_multi_head_attention(LayerReader& r) {
  r.not_offered("sliding_window", "set it to null");
  r.value("value_shape");
  return multi_head_attention({.name = r.name(),
                               .num_heads = r.extent("num_heads"),
                               .key_dim = r.extent("key_dim"),
                               .value_dim = r.maybe_extent("value_dim"),
                               .dropout = r.number("dropout", 0),
                               .use_bias = r.flag("use_bias", true),
                               .output_shape = read_output_shape(r),
                               .attention_axes = r.axes("attention_axes", {}),
                               .kernel = r.rule("kernel", glorot_uniform),
                               .bias = r.rule("bias", zeros),
                               .seed = r.seed(),
                               .trainable = r.trainable()});
}

LayerPtr read_group_query_attention(LayerReader& r) {
  r.not_offered("sliding_window", "set it to null");
  MultiHeadAttentionConfig config{.name = r.name(),
                                  .num_heads = r.extent("num_query_heads"),
                                  .key_dim = r.extent("head_dim"),
                                  .dropout = r.number("dropout", 0),
                                  .use_bias = r.flag("use_bias", true),
                                  .kernel = r.rule("kernel", glorot_uniform),
                                  .bias = r.rule("bias", zeros),
                                  .seed = r.seed(),
                                  .trainable = r.trainable()};
  config.num_key_value_heads = r.extent("num_key_value_heads");
  return multi_head_attention(std::move(config));
}

using Score = AttentionConfig::Score;
constexpr json::Named<Score> scores[] = {{"dot", Score::dot}, {"concat", Score::concat}};

template <Score score, bool scales>
LayerPtr read_attention(LayerReader& r) {
  AttentionConfig config{.name = r.name(), .score = score};
  if (score == Score::dot) config.score = r.one_of("score_mode", scores, score);
  config.use_scale = r.flag("use_scale", scales);
  config.dropout = r.number("dropout", 0);
  config.causal = r.flag("causal", false);
  config.seed = r.seed();
  config.trainable = r.trainable();
  return attention(std::move(config));
}

}  // namespace

std::span<const LayerClass> attention_rows() {
  static constexpr LayerClass rows[] = {
      {"AdditiveAttention", "means of values, weighted by scores of sums of query and key",
       read_attention<Score::additive, true>},
      {"Attention", "means of values, weighted by scores of query and key",
       read_attention<Score::dot, false>},
      {"GroupQueryAttention", "attention in several heads that share heads of keys and values",
       read_group_query_attention},
      {"MultiHeadAttention", "scaled dot-product attention in several heads", read_multi_head_attention},
  };
  return rows;
}

}  // namespace wt::model
