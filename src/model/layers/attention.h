#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' MultiHeadAttention: softmax(Q K^T / sqrt(key_dim)) V in several heads (Vaswani et al., "Attention is
// all you need", 2017). The inputs are the query [batch, queries, hidden], the value [batch, keys, hidden'],
// and the key. Without a key, the value is used as the key; without a value, the query is used for all three
// (self-attention). Weights have Keras' names and shapes: query/kernel [hidden, heads, key_dim], query/bias
// [heads, key_dim], the same for key and value, and attention_output/kernel [heads, value_dim, output_dim].
struct MultiHeadAttentionConfig {
  std::string name{};
  std::int64_t num_heads = 1;
  std::int64_t key_dim = 1;
  std::optional<std::int64_t> value_dim{};  // unset: key_dim
  double dropout = 0;                       // rate at which attention weights are dropped in training
  bool use_bias = true;
  std::optional<std::int64_t> output_dim{};  // unset: the last extent of the query
  bool causal = false;                       // a query attends to keys up to its own position
  Initializer kernel_initializer = glorot_uniform;
  Initializer bias_initializer = zeros;
  std::optional<Regularizer> kernel_regularizer{};
  std::optional<Regularizer> bias_regularizer{};
  std::optional<std::int64_t> seed{};
  bool trainable = true;
};
LayerPtr multi_head_attention(MultiHeadAttentionConfig config);

}  // namespace wt::model
