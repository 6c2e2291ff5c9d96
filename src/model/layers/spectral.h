#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' SpectralNormalization (Miyato et al., 2018) around a layer with a kernel or embeddings. In training each call
// divides the weight by an estimate of its largest singular value, from some power iterations that begin where those of
// the last step ended, and assigns the quotient to the weight before the layer computes with it.
struct SpectralNormalizationConfig {
  std::string name{};
  LayerPtr layer{};
  std::int64_t power_iterations = 1;
  bool trainable = true;
};
LayerPtr spectral_normalization(SpectralNormalizationConfig config);

}  // namespace wt::model
