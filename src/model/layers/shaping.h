#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that change the shape or the range of their input and have no weights.

LayerPtr flatten(std::string name = {});  // [batch, a, b, c] becomes [batch, a * b * c]

// Keras' Reshape. The target does not include the batch axis. One extent may be -1; it follows from the
// others.
struct ReshapeConfig {
  std::string name{};
  std::vector<std::int64_t> target_shape{};
};
LayerPtr reshape(ReshapeConfig config);

// Keras' ZeroPadding2D: adds rows and columns of zeros to images.
struct ZeroPadding2DConfig {
  std::string name{};
  Shape height{1, 1};  // rows added above and below
  Shape width{1, 1};   // columns added on the left and on the right
};
LayerPtr zero_padding2d(ZeroPadding2DConfig config = {});

// Keras' Rescaling: x * scale + offset. Integers are cast to float32 first.
struct RescalingConfig {
  std::string name{};
  double scale = 1;
  double offset = 0;
};
LayerPtr rescaling(RescalingConfig config);

}  // namespace wt::model
