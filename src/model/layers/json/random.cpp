#include "model/layers/augmentation.h"
#include "model/layers/dropout.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

DropoutConfig read_dropout_config(LayerReader& r) {
  return {.name = r.name(), .rate = r.required<double>("rate"), .seed = r.seed()};
}

// "noise_shape" is null, or a list in which null stands for the extent of the input.
std::vector<std::int64_t> read_noise_shape(LayerReader& r) {
  const json::Value* shape = r.given("noise_shape");
  std::vector<std::int64_t> extents;
  if (shape == nullptr || shape->kind() != json::Kind::array) {
    if (shape != nullptr)
      r.problem("noise_shape", "this is no list of extents", "write one number for each axis");
    return extents;
  }
  for (const json::Value& extent : shape->elements())
    extents.push_back(
        extent.kind() == json::Kind::null
            ? 0
            : json::convert<std::int64_t>(extent, r.problems(), {.at_least = 1, .at_most = 1 << 24})
                  .value_or(1));
  return extents;
}

LayerPtr read_dropout(LayerReader& r) {
  DropoutConfig config = read_dropout_config(r);
  config.noise_shape = read_noise_shape(r);
  return dropout(std::move(config));
}

template <int rank>
LayerPtr read_spatial_dropout(LayerReader& r) {
  r.not_offered("noise_shape", "set it to null: a spatial dropout drops whole channels");
  return spatial_dropout(rank, read_dropout_config(r));
}

LayerPtr read_alpha_dropout(LayerReader& r) {
  r.not_offered("noise_shape", "set it to null");
  return alpha_dropout(read_dropout_config(r));
}

LayerPtr read_gaussian_noise(LayerReader& r) {
  r.seed();
  return gaussian_noise(r.number("stddev", 0, {.at_least = 0.0}), r.name());
}
LayerPtr read_gaussian_dropout(LayerReader& r) {
  r.seed();
  return gaussian_dropout(r.number("rate", 0, {.at_least = 0.0}), r.name());
}
LayerPtr read_identity(LayerReader& r) { return identity(r.name()); }
LayerPtr read_activity_regularization(LayerReader& r) {
  return activity_regularization({r.number("l1", 0, {.at_least = 0.0}), r.number("l2", 0, {.at_least = 0.0})},
                                 r.name());
}

// One number stands for both sides, or there are two.
Between read_factor(LayerReader& r, double least, double most, bool is_symmetric,
                    std::string_view key = "factor") {
  const std::vector<double> given = r.numbers(key, {0});
  const double first = given.front();
  const Between factor =
      given.size() > 1 ? Between{first, given[1]} : Between{is_symmetric ? -first : first, first};
  if (given.size() > 2 || factor.low < least || factor.low > 1 || factor.high < least || factor.high > most)
    r.problem(key, "this is no factor",
              fmt::format("write one number, or two, between {} and {}", least, most));
  return factor;
}

Between read_values(LayerReader& r) {
  const std::vector<double> given = r.numbers("value_range", {0, 255});
  if (given.size() != 2)
    r.problem("value_range", "there are not two numbers", "write the least and the largest");
  return {given.front(), given.back()};
}

LayerPtr read_random_brightness(LayerReader& r) {
  return random_brightness({r.name(), read_factor(r, -1, 1, true), read_values(r), r.seed()});
}

LayerPtr read_random_contrast(LayerReader& r) {
  const json::Value* factor = r.given("factor");
  const bool is_one = factor != nullptr && factor->kind() != json::Kind::array;
  constexpr double any = 1e6;
  return random_contrast({r.name(), read_factor(r, 0, any, false), is_one, read_values(r), r.seed()});
}

struct FlipMode {
  bool horizontal = true, vertical = true;
};
constexpr json::Named<FlipMode> flip_modes[] = {
    {"horizontal", {true, false}}, {"vertical", {false, true}}, {"horizontal_and_vertical", {true, true}}};

LayerPtr read_random_flip(LayerReader& r) {
  const FlipMode mode = r.one_of("mode", flip_modes, FlipMode{});
  return random_flip({r.name(), mode.horizontal, mode.vertical, r.seed()});
}

LayerPtr read_random_crop(LayerReader& r) {
  return random_crop({r.name(), r.extent("height"), r.extent("width"), r.seed()});
}

constexpr json::Named<FillMode> fill_modes[] = {{"reflect", FillMode::reflect},
                                                {"constant", FillMode::constant},
                                                {"wrap", FillMode::wrap},
                                                {"nearest", FillMode::nearest}};
constexpr json::Named<Interpolation> warp_interpolations[] = {{"bilinear", Interpolation::bilinear},
                                                              {"nearest", Interpolation::nearest}};

Warp read_warp(LayerReader& r) {
  return {r.one_of("fill_mode", fill_modes, FillMode::reflect),
          r.one_of("interpolation", warp_interpolations, Interpolation::bilinear), r.number("fill_value", 0)};
}

// Keras 3 puts two numbers in order.
Between read_range(LayerReader& r, std::string_view key, double least, double most = 1) {
  const Between given = read_factor(r, least, most, true, key);
  return {std::min(given.low, given.high), std::max(given.low, given.high)};
}

LayerPtr read_random_translation(LayerReader& r) {
  return random_translation({.name = r.name(),
                             .height = read_range(r, "height_factor", -1),
                             .width = read_range(r, "width_factor", -1),
                             .warp = read_warp(r),
                             .seed = r.seed()});
}

LayerPtr read_random_rotation(LayerReader& r) {
  constexpr double turns = 1e3;
  return random_rotation({.name = r.name(),
                          .factor = read_range(r, "factor", -turns, turns),
                          .warp = read_warp(r),
                          .seed = r.seed()});
}

LayerPtr read_random_zoom(LayerReader& r) {
  return random_zoom({.name = r.name(),
                      .height = read_range(r, "height_factor", -1),
                      .width = r.given("width_factor") == nullptr
                                   ? std::nullopt
                                   : std::optional(read_range(r, "width_factor", -1)),
                      .warp = read_warp(r),
                      .seed = r.seed()});
}

// What these arguments say happens in training only.
LayerPtr read_augmentation(LayerReader& r) {
  for (const auto* key : {"factor", "height_factor", "width_factor", "fill_mode", "fill_value",
                          "interpolation", "seed", "mode", "value_range", "data_format"})
    r.value(key);
  const auto names = other_augmentations();
  return random_augmentation(*std::ranges::find(names, r.class_name()), r.name());
}

constexpr LayerClass dropout_rows[] = {
    {"ActivityRegularization", "passes its input on and adds a penalty on it to the loss",
     read_activity_regularization},
    {"AlphaDropout", "sets random elements to the value to which selu saturates in training",
     read_alpha_dropout},
    {"Dropout", "sets random elements to zero in training", read_dropout},
    {"GaussianDropout", "passes its input on; offered with a rate of 0 only", read_gaussian_dropout},
    {"GaussianNoise", "passes its input on; offered with a deviation of 0 only", read_gaussian_noise},
    {"Identity", "passes its input on", read_identity},
    {"RandomBrightness", "adds a random number to each image in training", read_random_brightness},
    {"RandomContrast", "scales the distances from each channel's mean by a random number in training",
     read_random_contrast},
    {"RandomCrop", "a part of the images at a random place in training", read_random_crop},
    {"RandomFlip", "mirrors random images in training", read_random_flip},
    {"RandomRotation", "turns images by random angles in training", read_random_rotation},
    {"RandomTranslation", "moves images by random distances in training", read_random_translation},
    {"RandomZoom", "makes images larger or smaller in training", read_random_zoom},
    {"SpatialDropout1D", "sets random channels of a sequence to zero in training", read_spatial_dropout<1>},
    {"SpatialDropout2D", "sets random channels of an image to zero in training", read_spatial_dropout<2>},
    {"SpatialDropout3D", "sets random channels of a volume to zero in training", read_spatial_dropout<3>},
};

}  // namespace

std::span<const LayerClass> random_rows() {
  static const std::vector<LayerClass> all = [] {
    std::vector<LayerClass> rows(std::begin(dropout_rows), std::end(dropout_rows));
    for (const std::string_view name : other_augmentations())
      rows.push_back({name, "passes its input on in inference; refused in training", read_augmentation});
    return rows;
  }();
  return all;
}

}  // namespace wt::model
