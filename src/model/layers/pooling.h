#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' MaxPooling2D and AveragePooling2D on images [batch, height, width, channels].
struct Pooling2DConfig {
  std::string name{};
  Shape pool_size{2, 2};
  std::optional<Shape> strides{};  // unset: pool_size
  Padding padding = Padding::valid;
};
LayerPtr max_pooling2d(Pooling2DConfig config = {});
LayerPtr average_pooling2d(Pooling2DConfig config = {});  // padded elements are not part of the mean

// Keras' GlobalMaxPooling2D and GlobalAveragePooling2D: [batch, height, width, channels] becomes [batch,
// channels], or [batch, 1, 1, channels] with keepdims.
struct GlobalPooling2DConfig {
  std::string name{};
  bool keepdims = false;
};
LayerPtr global_max_pooling2d(const GlobalPooling2DConfig& config = {});
LayerPtr global_average_pooling2d(const GlobalPooling2DConfig& config = {});

}  // namespace wt::model
