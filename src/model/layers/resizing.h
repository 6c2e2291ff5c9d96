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

// Images, sequences or volumes of other spatial extents, as tf.image.resize makes them. A filter may also blur an axis that
// keeps its extent.
Symbol resized(Symbol x, const Shape& sizes, ResizeMethod method = ResizeMethod::bilinear,
               bool antialias = false);

// The middle of each image, with the proportions of the sizes, resized; and where on an axis that middle begins.
Symbol resized_in_proportion(Symbol x, const Shape& sizes);
std::int64_t begin_in_proportion(std::int64_t extent, std::int64_t other, std::int64_t size,
                                 std::int64_t other_size);

// Keras' UpSampling1D to 3D: each row is repeated, or rows between others are interpolated (images only).
struct UpSamplingConfig {
  std::string name{};
  Shape size{};  // one number for each spatial axis
  ResizeMethod method = ResizeMethod::nearest;
};
LayerPtr up_sampling(UpSamplingConfig config);

// What happens to images whose proportions are not those of the new size: they are distorted, or their middle is cut
// out, or they get a frame.
enum class Aspect : std::uint8_t { distort, crop, pad };

// Keras' Resizing and CenterCrop of images. A CenterCrop enlarges images that are smaller than the crop.
struct ResizingConfig {
  std::string name{};
  std::int64_t height = 1;
  std::int64_t width = 1;
  ResizeMethod method = ResizeMethod::bilinear;
  bool antialias = false;
  Aspect aspect = Aspect::distort;
  double fill_value = 0;  // of a frame
};
LayerPtr resizing(ResizingConfig config);
LayerPtr center_crop(ResizingConfig config);

}  // namespace wt::model
