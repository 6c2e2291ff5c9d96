#pragma once

#include "model/functional.h"

namespace wt::model {

// Layers of language models that Keras itself does not have. Names of layers and weights follow KerasNLP. A
// "word" here is a token of the vocabulary.

// An embedding whose table is also the output projection (Press and Wolf, "Using the output embedding to
// improve language models", 2017). A call on ids [batch, words] returns vectors [batch, words, hidden]; a
// call on vectors returns one logit per word of the vocabulary.
struct ReversibleEmbeddingConfig {
  std::string name{};
  std::int64_t words = 0;
  std::int64_t hidden = 0;
  bool has_logits_bias = false;
};
LayerPtr reversible_embedding(ReversibleEmbeddingConfig config);

// Adds a learned vector per position to x [batch, words, hidden]. `positions` is the extent of the table; a
// sequence may be shorter.
LayerPtr position_embedding(std::int64_t positions, std::string name);

LayerPtr first_token(std::string name);  // [batch, words, hidden] becomes [batch, hidden]

// Selects vectors by position: the inputs [batch, words, hidden] and positions [batch, n] yield [batch, n,
// hidden]. Every position counts from the beginning of its own row.
LayerPtr gather_positions(std::string name);

inline const Initializer small_normal{Normal{0, 0.02, true}, {}};

// Vaswani et al., 2017: self-attention and two dense layers, each with a residual connection and a layer
// normalization.
struct TransformerBlock {
  std::string name{};
  std::int64_t hidden = 0;
  std::int64_t heads = 1;
  double epsilon = 1e-5;
  double dropout = 0;
  bool causal = false;
  // True: normalization precedes attention and dense layers, as in GPT-2. False: it follows the addition, as
  // in the paper and in BERT.
  bool normalizes_first = true;
  // Whether normalizations, and the addition behind the dense layers, compute in float32 also where a policy names
  // halves.
  bool normalizes_in_float32 = false;
};
Output transformer_block(const TransformerBlock& block, const Output& x);

}  // namespace wt::model
