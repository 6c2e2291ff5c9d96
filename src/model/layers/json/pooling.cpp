#include "model/layers/pooling.h"

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

template <LayerPtr (*make)(PoolingConfig), int rank>
LayerPtr read_pooling(LayerReader& r) {
  PoolingConfig config{.name = r.name(), .pool_size = r.sizes("pool_size", rank)};
  if (const Shape strides = r.sizes("strides", rank); strides.rank() > 0) config.strides = strides;
  config.padding = r.padding();
  return make(std::move(config));
}

template <LayerPtr (*make)(const GlobalPoolingConfig&)>
LayerPtr read_global_pooling(LayerReader& r) {
  return make({r.name(), r.flag("keepdims", false)});
}

template <LayerPtr (*make)(int, AdaptivePoolingConfig), int rank>
LayerPtr read_adaptive_pooling(LayerReader& r) {
  return make(rank, {r.name(), r.sizes("output_size", rank)});
}

}  // namespace

std::span<const LayerClass> pooling_rows() {
  static constexpr LayerClass rows[] = {
      {"AdaptiveAveragePooling1D", "the means of so many windows of a sequence",
       read_adaptive_pooling<adaptive_average_pooling, 1>},
      {"AdaptiveAveragePooling2D", "the means of so many windows of an image",
       read_adaptive_pooling<adaptive_average_pooling, 2>},
      {"AdaptiveAveragePooling3D", "the means of so many windows of a volume",
       read_adaptive_pooling<adaptive_average_pooling, 3>},
      {"AdaptiveMaxPooling1D", "the maxima of so many windows of a sequence",
       read_adaptive_pooling<adaptive_max_pooling, 1>},
      {"AdaptiveMaxPooling2D", "the maxima of so many windows of an image",
       read_adaptive_pooling<adaptive_max_pooling, 2>},
      {"AdaptiveMaxPooling3D", "the maxima of so many windows of a volume",
       read_adaptive_pooling<adaptive_max_pooling, 3>},
      {"AveragePooling1D", "the mean of each window of a sequence", read_pooling<average_pooling1d, 1>},
      {"AveragePooling2D", "the mean of each window of an image", read_pooling<average_pooling2d, 2>},
      {"AveragePooling3D", "the mean of each window of a volume", read_pooling<average_pooling3d, 3>},
      {"GlobalAveragePooling1D", "the mean of each channel of a sequence",
       read_global_pooling<global_average_pooling1d>},
      {"GlobalAveragePooling2D", "the mean of each channel of an image",
       read_global_pooling<global_average_pooling2d>},
      {"GlobalAveragePooling3D", "the mean of each channel of a volume",
       read_global_pooling<global_average_pooling3d>},
      {"GlobalMaxPooling1D", "the maximum of each channel of a sequence",
       read_global_pooling<global_max_pooling1d>},
      {"GlobalMaxPooling2D", "the maximum of each channel of an image",
       read_global_pooling<global_max_pooling2d>},
      {"GlobalMaxPooling3D", "the maximum of each channel of a volume",
       read_global_pooling<global_max_pooling3d>},
      {"MaxPooling1D", "the maximum of each window of a sequence", read_pooling<max_pooling1d, 1>},
      {"MaxPooling2D", "the maximum of each window of an image", read_pooling<max_pooling2d, 2>},
      {"MaxPooling3D", "the maximum of each window of a volume", read_pooling<max_pooling3d, 3>},
  };
  return rows;
}

}  // namespace wt::model
