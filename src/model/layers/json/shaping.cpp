#include "model/layers/shaping.h"

#include "model/layers/json/rows.h"
#include "model/layers/resizing.h"

namespace wt::model {

namespace {

LayerPtr read_flatten(LayerReader& r) {
  const json::Value* format = r.given("data_format");
  const bool channels_first =
      format != nullptr && format->kind() == json::Kind::string && format->string() == "channels_first";
  return flatten(r.name(), channels_first);
}

LayerPtr read_reshape(LayerReader& r) { return reshape({r.name(), r.extents("target_shape")}); }
LayerPtr read_permute(LayerReader& r) { return permute({r.name(), r.extents("dims")}); }
LayerPtr read_repeat_vector(LayerReader& r) { return repeat_vector({r.name(), r.extent("n")}); }
LayerPtr read_rescaling(LayerReader& r) {
  return rescaling({r.name(), r.numbers("scale", {1}), r.numbers("offset", {0})});
}

template <int rank>
LayerPtr read_zero_padding(LayerReader& r) {
  return zero_padding({r.name(), r.sides("padding", rank)});
}
template <int rank>
LayerPtr read_cropping(LayerReader& r) {
  return cropping({r.name(), r.sides("cropping", rank)});
}

// How rows between others are made. gaussian and mitchellcubic are Keras 2's alone, which the layers refuse.
constexpr json::Named<ResizeMethod> interpolations[] = {
    {"nearest", ResizeMethod::nearest},   {"bilinear", ResizeMethod::bilinear},
    {"area", ResizeMethod::area},         {"bicubic", ResizeMethod::bicubic},
    {"gaussian", ResizeMethod::gaussian}, {"lanczos3", ResizeMethod::lanczos3},
    {"lanczos5", ResizeMethod::lanczos5}, {"mitchellcubic", ResizeMethod::mitchellcubic}};

template <int rank>
LayerPtr read_up_sampling(LayerReader& r) {
  UpSamplingConfig config{.name = r.name(), .size = r.sizes("size", rank)};
  if (config.size.rank() == 0)
    for (int i = 0; i < rank; ++i) config.size.append(2);
  if (rank == 2) config.method = r.one_of("interpolation", interpolations, ResizeMethod::nearest);
  return up_sampling(std::move(config));
}

Aspect read_aspect(LayerReader& r) {
  const bool crops = r.flag("crop_to_aspect_ratio", false), pads = r.flag("pad_to_aspect_ratio", false);
  if (crops && pads)
    r.problem("pad_to_aspect_ratio", "an image is either cropped or padded", "set one of the two to false");
  const json::Value* mode = r.given("fill_mode");
  if (pads && mode != nullptr && mode->text() != "\"constant\"")
    r.problem("fill_mode", "Keras fills a frame with one value", R"(write "constant")");
  return crops ? Aspect::crop : pads ? Aspect::pad : Aspect::distort;
}

LayerPtr read_resizing(LayerReader& r) {
  return resizing({.name = r.name(),
                   .height = r.extent("height"),
                   .width = r.extent("width"),
                   .method = r.one_of("interpolation", interpolations, ResizeMethod::bilinear),
                   .antialias = r.flag("antialias", false),
                   .aspect = read_aspect(r),
                   .fill_value = r.number("fill_value", 0)});
}

LayerPtr read_center_crop(LayerReader& r) {
  return center_crop({.name = r.name(), .height = r.extent("height"), .width = r.extent("width")});
}

}  // namespace

std::span<const LayerClass> shaping_rows() {
  static constexpr LayerClass rows[] = {
      {"CenterCrop", "the middle of an image", read_center_crop},
      {"Cropping1D", "removes steps from both ends of a sequence", read_cropping<1>},
      {"Cropping2D", "removes rows and columns from the sides of images", read_cropping<2>},
      {"Cropping3D", "removes slices, rows and columns from the sides of volumes", read_cropping<3>},
      {"Flatten", "merges all axes but the batch axis into one", read_flatten},
      {"Permute", "its axes in another order", read_permute},
      {"RepeatVector", "repeats its input along a new axis", read_repeat_vector},
      {"Rescaling", "x * scale + offset", read_rescaling},
      {"Reshape", "the same elements in another shape", read_reshape},
      {"Resizing", "images of another size, by interpolation", read_resizing},
      {"UpSampling1D", "repeats the steps of a sequence", read_up_sampling<1>},
      {"UpSampling2D", "repeats or interpolates rows and columns of images", read_up_sampling<2>},
      {"UpSampling3D", "repeats slices, rows and columns of volumes", read_up_sampling<3>},
      {"ZeroPadding1D", "adds steps of zeros to both ends of a sequence", read_zero_padding<1>},
      {"ZeroPadding2D", "adds rows and columns of zeros around images", read_zero_padding<2>},
      {"ZeroPadding3D", "adds slices, rows and columns of zeros around volumes", read_zero_padding<3>},
  };
  return rows;
}

}  // namespace wt::model
