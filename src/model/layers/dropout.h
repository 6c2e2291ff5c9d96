#pragma once

#include <span>

#include "model/layer.h"

namespace wt::model {

// Keras' Dropout (Srivastava et al., 2014): in training, sets each element to zero with probability `rate`
// and scales the others by 1 / (1 - rate). In inference, the input passes unchanged.
struct DropoutConfig {
  std::string name{};
  double rate = 0.5;
  std::optional<std::int64_t> seed{};
  // The shape of the drawn elements with the batch axis: an extent of 1 drops all elements along that axis together, and
  // 0 stands for the extent of the input. Empty: each element is drawn on its own.
  std::vector<std::int64_t> noise_shape{};
};
LayerPtr dropout(DropoutConfig config);

// Keras' SpatialDropout1D to 3D: drops whole channels. `rank` is the number of spatial axes.
LayerPtr spatial_dropout(int rank, DropoutConfig config);

// Keras' AlphaDropout (Klambauer et al., 2017): dropped elements get the value to which selu saturates, and all are
// scaled such that mean and variance stay.
LayerPtr alpha_dropout(DropoutConfig config);

// Keras' GaussianNoise and GaussianDropout add or multiply normal numbers in training. There is no kernel for them, so a
// deviation or a rate above 0 is refused.
LayerPtr gaussian_noise(double deviation, std::string name = {});
LayerPtr gaussian_dropout(double rate, std::string name = {});

// Keras' Identity, and ActivityRegularization, whose penalty is that of Layer::penalise_activity.
LayerPtr identity(std::string name = {});
LayerPtr activity_regularization(const Regularizer& regularizer, std::string name = {});

}  // namespace wt::model
