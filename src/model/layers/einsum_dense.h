#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' EinsumDense: a product of x and a kernel whose axes are named by an equation, such as "abc,cd->abd". A letter of
// both that the result lacks is summed over. "..." stands for any axes of x that the result has, too.
struct EinsumDenseConfig {
  std::string name{};
  std::string equation{};
  std::vector<std::int64_t> output_shape{};  // the last axes of the result; 0 for those that x determines
  std::string bias_axes{};  // letters of the result along which the bias differs; empty: no bias
  std::string activation = "linear";
  WeightRule kernel{glorot_uniform, {}, {}};
  WeightRule bias{};
  bool trainable = true;
};
LayerPtr einsum_dense(EinsumDenseConfig config);

}  // namespace wt::model
