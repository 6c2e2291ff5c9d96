#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that change the shape or the range of their input and have no weights.

// [batch, a, b, c] becomes [batch, a * b * c]. With channels first, the channels are moved to the end before that.
LayerPtr flatten(std::string name = {}, bool channels_first = false);

// Keras' Reshape. The target does not include the batch axis. One extent may be -1; it follows from the
// others.
struct ReshapeConfig {
  std::string name{};
  std::vector<std::int64_t> target_shape{};
};
LayerPtr reshape(ReshapeConfig config);

// Keras' Permute: axis i of the result is axis dims[i] of the input; the axes are counted from 1, after the batch axis.
struct PermuteConfig {
  std::string name{};
  std::vector<std::int64_t> dims{};
};
LayerPtr permute(PermuteConfig config);

// Keras' RepeatVector: [batch, features] becomes [batch, n, features].
struct RepeatVectorConfig {
  std::string name{};
  std::int64_t n = 1;
};
LayerPtr repeat_vector(const RepeatVectorConfig& config);

// Keras' Rescaling: x * scale + offset, with one number for all elements or one for each channel. Integers are cast to
// float32 first.
struct RescalingConfig {
  std::string name{};
  std::vector<double> scale{1};
  std::vector<double> offset{0};
};
LayerPtr rescaling(RescalingConfig config);

}  // namespace wt::model
