#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Dropout (Srivastava et al., 2014): in training, sets each element to zero with probability `rate`
// and scales the others by 1 / (1 - rate). In inference, the input passes unchanged.
struct DropoutConfig {
  std::string name{};
  double rate = 0.5;
  std::optional<std::int64_t> seed{};
};
LayerPtr dropout(DropoutConfig config);

}  // namespace wt::model
