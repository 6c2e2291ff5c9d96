#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Conv2D: cross-correlation of images [batch, height, width, channels] with a kernel [h, w, channels /
// groups, filters], then the bias and the activation.
struct Conv2DConfig {
  std::string name{};
  std::int64_t filters = 0;
  Shape kernel_size{1, 1};
  Shape strides{1, 1};
  Padding padding = Padding::valid;
  Shape dilation_rate{1, 1};
  std::int64_t groups = 1;
  std::string activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform;
  Initializer bias_initializer = zeros;
  std::optional<Regularizer> kernel_regularizer{};
  std::optional<Regularizer> bias_regularizer{};
  bool trainable = true;
};
LayerPtr conv2d(Conv2DConfig config);

}  // namespace wt::model
