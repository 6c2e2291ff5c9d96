#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Embedding: looks up a row of a table [input_dim, output_dim] for each id, so that ids [batch, ...]
// become vectors [batch, ..., output_dim].
struct EmbeddingConfig {
  std::string name{};
  std::int64_t input_dim = 0;
  std::int64_t output_dim = 0;
  WeightRule embeddings{{Uniform{}, {}}, {}, {}};
  bool mask_zero = false;  // attaches a mask that skips the id 0, which then stands for padding
  bool trainable = true;
};
LayerPtr embedding(EmbeddingConfig config);

}  // namespace wt::model
