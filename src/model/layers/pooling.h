#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' MaxPooling1D to 3D and AveragePooling1D to 3D, on sequences [batch, time, channels], images [batch, height,
// width, channels] and volumes [batch, depth, height, width, channels].
struct PoolingConfig {
  std::string name{};
  Shape pool_size{};               // one number for each spatial axis; empty: 2 everywhere
  std::optional<Shape> strides{};  // unset: pool_size
  Padding padding = Padding::valid;
};
LayerPtr max_pooling1d(PoolingConfig config = {});
LayerPtr max_pooling2d(PoolingConfig config = {});
LayerPtr max_pooling3d(PoolingConfig config = {});
LayerPtr average_pooling1d(PoolingConfig config = {});  // padded elements are not part of the mean
LayerPtr average_pooling2d(PoolingConfig config = {});
LayerPtr average_pooling3d(PoolingConfig config = {});

// Keras' GlobalMaxPooling and GlobalAveragePooling: all spatial axes are reduced, so that [batch, ..., channels]
// becomes [batch, channels], or keeps axes of extent 1 with keepdims. The mean of a sequence with a mask is that of the
// steps that the mask keeps.
struct GlobalPoolingConfig {
  std::string name{};
  bool keepdims = false;
};
using GlobalPooling2DConfig = GlobalPoolingConfig;
LayerPtr global_max_pooling1d(const GlobalPoolingConfig& config = {});
LayerPtr global_max_pooling2d(const GlobalPoolingConfig& config = {});
LayerPtr global_max_pooling3d(const GlobalPoolingConfig& config = {});
LayerPtr global_average_pooling1d(const GlobalPoolingConfig& config = {});
LayerPtr global_average_pooling2d(const GlobalPoolingConfig& config = {});
LayerPtr global_average_pooling3d(const GlobalPoolingConfig& config = {});

// Keras 3's adaptive pooling: the mean or the maximum of so many windows along each spatial axis, which cover it and have
// nearly equal extents. Window i reaches from floor(i * given / wanted) to ceil((i + 1) * given / wanted).
struct AdaptivePoolingConfig {
  std::string name{};
  Shape output_size{};
};
LayerPtr adaptive_average_pooling(int rank, AdaptivePoolingConfig config);
LayerPtr adaptive_max_pooling(int rank, AdaptivePoolingConfig config);

}  // namespace wt::model
