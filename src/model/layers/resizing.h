#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that add, remove or repeat rows along the spatial axes of sequences, images and volumes.

// Keras' ZeroPadding1D to 3D and Cropping1D to 3D. `sides` has two numbers for each spatial axis: how much is added or
// removed before and after.
struct SidesConfig {
  std::string name{};
  std::vector<Shape> sides{};
};
LayerPtr zero_padding(SidesConfig config);
LayerPtr cropping(SidesConfig config);

// Keras' UpSampling1D to 3D: each row is repeated, or rows between two are interpolated ("bilinear", images only).
struct UpSamplingConfig {
  std::string name{};
  Shape size{};  // one number for each spatial axis
  bool is_bilinear = false;
};
LayerPtr up_sampling(UpSamplingConfig config);

// Keras' Resizing and CenterCrop of images.
struct ResizingConfig {
  std::string name{};
  std::int64_t height = 1;
  std::int64_t width = 1;
  bool is_bilinear = true;  // otherwise the nearest row and column
};
LayerPtr resizing(ResizingConfig config);
LayerPtr center_crop(ResizingConfig config);

}  // namespace wt::model
