#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Dense: y = activation(x W + b). If x has more than two axes, its last axis is contracted with W.
struct DenseConfig {
  std::string name{};
  std::int64_t units = 0;
  std::string activation = "linear";
  bool use_bias = true;
  WeightRule kernel{glorot_uniform, {}, {}};
  WeightRule bias{};
  bool trainable = true;
};
LayerPtr dense(DenseConfig config);

}  // namespace wt::model
