#pragma once

#include "model/layer.h"
#include "model/layers/warping.h"

namespace wt::model {

// Keras' random changes of images [batch, height, width, channels] in training. Each layer has a random stream of its own,
// and each replica draws for its own rows. Out of training images pass as they are.

// Mirrored in half of the images.
struct RandomFlipConfig {
  std::string name{};
  bool horizontal = true;
  bool vertical = true;
  std::optional<std::int64_t> seed{};
};
LayerPtr random_flip(RandomFlipConfig config);

// Numbers drawn uniformly from a range.
struct Between {
  double low = 0;
  double high = 0;
};

// Plus a number for each image, a share of the range of values, within which they stay.
struct RandomBrightnessConfig {
  std::string name{};
  Between factor{};
  Between values{0, 255};
  std::optional<std::int64_t> seed{};
};
LayerPtr random_brightness(RandomBrightnessConfig config);

// The distance from the mean of each channel times a number between 1 - factor.low and 1 + factor.high, one for each image
// or, in Keras 2, for the batch.
struct RandomContrastConfig {
  std::string name{};
  Between factor{};
  bool is_one = false;  // the factor was written as one number, from which Keras 3 makes a factor.low of 0
  Between values{0, 255};
  std::optional<std::int64_t> seed{};
};
LayerPtr random_contrast(RandomContrastConfig config);

// A part of the images, which is at the same place in all of them. Out of training and where images are too small, the
// middle in the right proportion, resized; in Keras 3 images pass out of training.
struct RandomCropConfig {
  std::string name{};
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::optional<std::int64_t> seed{};
};
LayerPtr random_crop(const RandomCropConfig& config);

// Moved, by shares of the height and of the width. What lies beyond an image is filled.
struct RandomTranslationConfig {
  std::string name{};
  Between height{};
  Between width{};
  Warp warp{};
  std::optional<std::int64_t> seed{};
};
LayerPtr random_translation(const RandomTranslationConfig& config);

// Turned around their middles, by a share of a full turn.
struct RandomRotationConfig {
  std::string name{};
  Between factor{};
  Warp warp{};
  std::optional<std::int64_t> seed{};
};
LayerPtr random_rotation(const RandomRotationConfig& config);

// Smaller by a share, or larger where it is below 0, around their middles.
struct RandomZoomConfig {
  std::string name{};
  Between height{};
  std::optional<Between> width{};  // none: that of the height
  Warp warp{};
  std::optional<std::int64_t> seed{};
};
LayerPtr random_zoom(const RandomZoomConfig& config);

// Those that pass images out of training and are refused in it, where the results would have a random size.
std::span<const std::string_view> other_augmentations();  // their class names
LayerPtr random_augmentation(std::string_view class_name, std::string name);

}  // namespace wt::model
