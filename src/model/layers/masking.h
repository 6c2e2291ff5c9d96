#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Masking: attaches a mask that skips the steps of a sequence whose features all equal `mask_value`, and sets
// these steps to zero.
struct MaskingConfig {
  std::string name{};
  double mask_value = 0;
};
LayerPtr masking(MaskingConfig config = {});

}  // namespace wt::model
