#pragma once

#include "model/functional.h"

namespace wt::model {

// What language models are made of besides Keras' own layers. Names follow KerasNLP.

// A table of words both ways (Press and Wolf, 2017): ids [batch, words] become vectors; called again on
// vectors, it gives a logit for each word.
struct ReversibleEmbeddingConfig {
  std::string name{};
  std::int64_t words = 0;
  std::int64_t hidden = 0;
  bool has_logits_bias = false;
};
LayerPtr reversible_embedding(ReversibleEmbeddingConfig config);

// Adds a learnt vector per position. `positions` may be more than the sequence has.
LayerPtr position_embedding(std::int64_t positions, std::string name);

LayerPtr first_token(std::string name);  // [batch, words, hidden] becomes [batch, hidden]

// Vectors [batch, words, hidden] and positions [batch, n] in their row become [batch, n, hidden].
LayerPtr gather_positions(std::string name);

inline const Initializer small_normal{Normal{0, 0.02, true}, {}};

// Vaswani et al., 2017: attention and two dense layers, each added to what it was given.
struct TransformerBlock {
  std::string name{};
  std::int64_t hidden = 0;
  std::int64_t heads = 1;
  double epsilon = 1e-5;
  double dropout = 0;
  bool causal = false;
  bool normalizes_first = true;  // GPT-2; else after the addition, as in the paper and BERT
};
Output transformer_block(const TransformerBlock& block, const Output& x);

}  // namespace wt::model
