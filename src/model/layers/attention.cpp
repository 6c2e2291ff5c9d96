#include "model/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wt::model {

namespace {

// Keras adds this number to the score of a masked key. Its exponential is 0, and unlike -infinity it is
// finite.
constexpr double masked_score = -1e9;

// A matrix [queries, keys] that is 0 where a query may attend to a key and masked_score above the diagonal.
// There is no kernel that enumerates positions, so the mask is doubled until it is large enough: a mask of 2n
// x 2n consists of two masks of n x n on the diagonal, a constant block above it and a block of zeros below.
Symbol causal_mask(Trace& trace, Type type, std::int64_t queries, std::int64_t keys) {
  Symbol mask = fill(trace, {type, {1, 1}}, 0);
  for (std::int64_t extent = 1; extent < std::max(queries, keys); extent *= 2) {
    const Symbol above = fill(trace, {type, {extent, extent}}, masked_score);
    const Symbol below = fill(trace, {type, {extent, extent}}, 0);
    mask = concat({concat({mask, above}, 1), concat({below, mask}, 1)}, 0);
  }
  const auto cut = [&](int axis, std::int64_t extent) {
    const std::int64_t rest = mask.shape()[axis] - extent;
    if (rest > 0) mask = split(mask, axis, {extent, rest})[0];
  };
  cut(0, queries);
  cut(1, keys);
  return mask;
}

class MultiHeadAttention final : public Layer {
 public:
  explicit MultiHeadAttention(MultiHeadAttentionConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("num_heads", config_.num_heads);
    require_positive("key_dim", config_.key_dim);
    require_positive("value_dim", value_dim());
    if (!(config_.dropout >= 0 && config_.dropout < 1))
      refuse(fmt::format("dropout is {}", config_.dropout), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override { return "MultiHeadAttention"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.empty() || inputs.size() > 3)
      refuse(fmt::format("it is given {} inputs", inputs.size()), "it takes query, value and key");
    for (const Symbol& input : inputs)
      if (input.shape().rank() != 3)
        refuse(fmt::format("it is given {}", print(input.spec())), "it takes [batch, sequence, hidden]");
    const Symbol query = inputs[0];
    const Symbol value = inputs.size() > 1 ? inputs[1] : query;
    const Symbol key = inputs.size() > 2 ? inputs[2] : value;

    const Symbol q = heads_of(building, "query", query, config_.key_dim);
    const Symbol k = heads_of(building, "key", key, config_.key_dim);
    const Symbol v = heads_of(building, "value", value, value_dim());
    const Symbol weights = attention(building, q, k);
    return {joined(building, matmul(weights, v), config_.output_dim.value_or(query.shape().last()))};
  }

 private:
  std::int64_t value_dim() const { return config_.value_dim.value_or(config_.key_dim); }

  Symbol kernel(Building& building, std::string_view part, const TensorSpec& spec) const {
    return building.weight({fmt::format("{}/{}/kernel", name(), part),
                            spec,
                            config_.kernel_initializer,
                            {},
                            config_.kernel_regularizer});
  }
  Symbol bias(Building& building, std::string_view part, const TensorSpec& spec) const {
    return building.weight({fmt::format("{}/{}/bias", name(), part),
                            spec,
                            config_.bias_initializer,
                            {},
                            config_.bias_regularizer});
  }

  // Projects x [batch, sequence, hidden] to [batch, heads, sequence, extent].
  Symbol heads_of(Building& building, std::string_view part, Symbol x, std::int64_t extent) const {
    const Type type = x.spec().type;
    const std::int64_t hidden = x.shape().last(), heads = config_.num_heads;
    Symbol y = matmul(
        x, wt::reshape(kernel(building, part, {type, {hidden, heads, extent}}), {hidden, heads * extent}));
    if (config_.use_bias)
      y = bias_add(y, wt::reshape(bias(building, part, {type, {heads, extent}}), {heads * extent}));
    return transpose(wt::reshape(y, {x.shape()[0], x.shape()[1], heads, extent}), {0, 2, 1, 3});
  }

  Symbol attention(Building& building, Symbol q, Symbol k) const {
    const double scale = 1 / std::sqrt(static_cast<double>(config_.key_dim));
    Symbol scores = matmul(q * scale, k, {.transpose_b = true});
    if (config_.causal)
      scores = scores + causal_mask(building.trace(), q.spec().type, scores.shape()[2], scores.shape()[3]);
    const Symbol weights = wt::softmax(scores);
    if (!building.training() || config_.dropout == 0) return weights;
    return wt::dropout(weights, building.random_stream(name() + "/seed", config_.seed),
                       {.rate = config_.dropout});
  }

  // Projects x [batch, heads, sequence, value_dim] to [batch, sequence, hidden].
  Symbol joined(Building& building, Symbol x, std::int64_t hidden) const {
    const Type type = x.spec().type;
    const std::int64_t inner = config_.num_heads * value_dim();
    const Symbol rows = wt::reshape(transpose(x, {0, 2, 1, 3}), {x.shape()[0], x.shape()[2], inner});
    const std::string_view part = "attention_output";
    const Symbol y =
        matmul(rows, wt::reshape(kernel(building, part, {type, {config_.num_heads, value_dim(), hidden}}),
                                 {inner, hidden}));
    return config_.use_bias ? bias_add(y, bias(building, part, {type, {hidden}})) : y;
  }

  MultiHeadAttentionConfig config_;
};

}  // namespace

LayerPtr multi_head_attention(MultiHeadAttentionConfig config) {
  return std::make_shared<MultiHeadAttention>(std::move(config));
}

}  // namespace wt::model
