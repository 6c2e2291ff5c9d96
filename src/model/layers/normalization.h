#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' BatchNormalization (Ioffe and Szegedy, 2015): normalizes each channel, the last axis, over all other
// axes. In training it uses the mean and variance of the replica's own rows and updates the moving
// statistics. In inference, or if the layer is frozen, it uses the moving statistics.
struct BatchNormalizationConfig {
  std::string name{};
  int axis = -1;  // only the last axis is implemented
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = zeros;
  Initializer gamma_initializer = ones;
  Initializer moving_mean_initializer = zeros;
  Initializer moving_variance_initializer = ones;
  std::optional<Regularizer> beta_regularizer{};
  std::optional<Regularizer> gamma_regularizer{};
  bool trainable = true;
};
LayerPtr batch_normalization(BatchNormalizationConfig config = {});

// Keras' LayerNormalization (Ba, Kiros and Hinton, 2016): normalizes over the last axis.
struct LayerNormalizationConfig {
  std::string name{};
  int axis = -1;  // only the last axis is implemented
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = zeros;
  Initializer gamma_initializer = ones;
  std::optional<Regularizer> beta_regularizer{};
  std::optional<Regularizer> gamma_regularizer{};
  bool trainable = true;
};
LayerPtr layer_normalization(LayerNormalizationConfig config = {});

}  // namespace wt::model
