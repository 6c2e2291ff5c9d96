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

// How rows between two are made.
constexpr json::Named<bool> interpolations[] = {{"nearest", false}, {"bilinear", true}};

template <int rank>
LayerPtr read_up_sampling(LayerReader& r) {
  UpSamplingConfig config{.name = r.name(), .size = r.sizes("size", rank)};
  if (config.size.rank() == 0)
    for (int i = 0; i < rank; ++i) config.size.append(2);
  if (rank == 2) config.is_bilinear = r.one_of("interpolation", interpolations, false);
  return up_sampling(std::move(config));
}

template <LayerPtr (*make)(ResizingConfig)>
LayerPtr read_resizing(LayerReader& r) {
  for (const auto* key : {"crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias"})
    r.not_offered(key, "set it to false");
  for (const auto* key : {"fill_mode", "fill_value"}) r.value(key);  // of pad_to_aspect_ratio
  return make({.name = r.name(),
               .height = r.extent("height"),
               .width = r.extent("width"),
               .is_bilinear = r.one_of("interpolation", interpolations, true)});
}

}  // namespace

std::span<const LayerClass> shaping_rows() {
  static constexpr LayerClass rows[] = {
      {"CenterCrop", "the middle of an image", read_resizing<center_crop>},
      {"Cropping1D", "removes steps from both ends of a sequence", read_cropping<1>},
      {"Cropping2D", "removes rows and columns from the sides of images", read_cropping<2>},
      {"Cropping3D", "removes slices, rows and columns from the sides of volumes", read_cropping<3>},
      {"Flatten", "merges all axes but the batch axis into one", read_flatten},
      {"Permute", "its axes in another order", read_permute},
      {"RepeatVector", "repeats its input along a new axis", read_repeat_vector},
      {"Rescaling", "x * scale + offset", read_rescaling},
      {"Reshape", "the same elements in another shape", read_reshape},
      {"Resizing", "images of another size, by interpolation", read_resizing<resizing>},
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
