#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' MultiHeadAttention: softmax(Q K^T / sqrt(key_dim)) V in several heads (Vaswani et al., "Attention is
// all you need", 2017). The inputs are the query [batch, queries..., hidden], the value [batch, keys..., hidden'],
// and the key. Without a key, the value is used as the key; without a value, the query is used for all three
// (self-attention). Weights have Keras' names and shapes: query/kernel [hidden, heads, key_dim], query/bias
// [heads, key_dim], the same for key and value, and attention_output/kernel [heads, value_dim, output shape...].
//
// A query attends to all keys along the attention axes, by default all axes between batch and features. Keys that a mask
// skips, and with `use_causal_mask` keys behind the query, get no share. A call with `attention_mask_is_last` has a mask of
// pairs, boolean[batch, queries, keys], behind its other inputs. A query without any key gets equal shares of all.
struct MultiHeadAttentionConfig {
  std::string name{};
  std::int64_t num_heads = 1;
  std::int64_t key_dim = 1;
  std::optional<std::int64_t> value_dim{};  // unset: key_dim
  double dropout = 0;                       // rate at which attention weights are dropped in training
  bool use_bias = true;
  std::vector<std::int64_t> output_shape{};  // empty: the last extent of the query
  std::vector<int> attention_axes{};         // empty: all between batch and features
  // Keras 3's GroupQueryAttention (Ainslie et al., 2023): so many heads of keys and values, each of which serves equally
  // many heads of queries. Unset: one for each.
  std::optional<std::int64_t> num_key_value_heads{};
  bool causal = false;  // a query attends to keys up to its own position
  WeightRule kernel{glorot_uniform, {}, {}};
  WeightRule bias{};
  std::optional<std::int64_t> seed{};
  bool trainable = true;
};
LayerPtr multi_head_attention(MultiHeadAttentionConfig config);

// Keras' Attention (Luong et al., 2015) and AdditiveAttention (Bahdanau et al., 2015): the mean of the values, weighted by
// the softmax of scores between the query [batch, queries, dim] and the keys [batch, keys, dim]. The inputs are query,
// value and key; without a key, the value is used.
struct AttentionConfig {
  std::string name{};
  enum class Score : std::uint8_t {
    dot,       // q k, times a weight with use_scale
    concat,    // a weight times the sum of tanh(q + k), with use_scale tanh of a weight times q + k
    additive,  // the sum of tanh(q + k), with use_scale each times a weight
  };
  Score score = Score::dot;
  bool use_scale = false;
  double dropout = 0;
  bool causal = false;
  std::optional<std::int64_t> seed{};
  bool trainable = true;
};
LayerPtr attention(AttentionConfig config);

}  // namespace wt::model
