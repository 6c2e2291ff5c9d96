#pragma once

#include "model/layer.h"

namespace wt::model {

// Batch renormalization (Ioffe, 2017), which Keras 3 has no more: in training the batch's statistics are corrected towards
// slow averages, by a factor r and an addend d that are clipped and have no gradient.
struct Renormalization {
  double momentum = 0.99;
  std::optional<double> rmin{}, rmax{}, dmax{};
};

// Keras' BatchNormalization (Ioffe and Szegedy, 2015): normalizes each channel, the last axis or another one, over all
// other axes. In training it uses the mean and variance of the replica's own rows and updates the moving
// statistics, or with `synchronized` those of all replicas, which costs an all-reduce each way; steps that a mask skips don't count. In inference, or if the layer is frozen, it uses the moving
// statistics.
struct BatchNormalizationConfig {
  std::string name{};
  int axis = -1;
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  std::optional<Renormalization> renorm{};
  bool synchronized = false;  // in training, mean and variance are those of the rows of all replicas
  WeightRule beta{zeros, {}, {}};
  WeightRule gamma{ones, {}, {}};
  Initializer moving_mean_initializer = zeros;
  Initializer moving_variance_initializer = ones;
  bool trainable = true;
};
LayerPtr batch_normalization(BatchNormalizationConfig config = {});

// Keras' LayerNormalization (Ba, Kiros and Hinton, 2016): normalizes over the last axis, or over others.
struct LayerNormalizationConfig {
  std::string name{};
  std::vector<int> axes{-1};
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  bool rms_scaling = false;
  WeightRule beta{zeros, {}, {}};
  WeightRule gamma{ones, {}, {}};
  bool trainable = true;
};
LayerPtr layer_normalization(LayerNormalizationConfig config = {});

// Keras' GroupNormalization (Wu and He, 2018): divides the channels into groups and normalizes each group of each row.
struct GroupNormalizationConfig {
  std::string name{};
  std::int64_t groups = 32;  // -1: one for each channel
  int axis = -1;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  WeightRule beta{zeros, {}, {}};
  WeightRule gamma{ones, {}, {}};
  bool trainable = true;
};
LayerPtr group_normalization(GroupNormalizationConfig config);

// Keras' RMSNormalization (Zhang and Sennrich, 2019): x / sqrt(mean of x^2 + epsilon) * scale over the last axis.
struct RmsNormalizationConfig {
  std::string name{};
  std::vector<int> axes{-1};
  double epsilon = 1e-6;
  bool trainable = true;
};
LayerPtr rms_normalization(RmsNormalizationConfig config);

// Keras' UnitNormalization: x / sqrt(sum of x^2) along some axes.
struct UnitNormalizationConfig {
  std::string name{};
  std::vector<int> axes{-1};
};
LayerPtr unit_normalization(UnitNormalizationConfig config = {});

// Keras' Normalization: (x - mean) / sqrt(variance), or with `invert` x * sqrt(variance) + mean. The statistics are
// given, one number or one for each element of the axes that are kept, or they are weights, which `adapt` has set.
struct NormalizationConfig {
  std::string name{};
  std::vector<int> axes{-1};
  std::vector<double> mean{};  // empty: weights
  std::vector<double> variance{};
  bool invert = false;
};
LayerPtr normalization(NormalizationConfig config);

}  // namespace wt::model
