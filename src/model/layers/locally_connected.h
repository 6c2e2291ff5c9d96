#pragma once

#include "model/layers/convolution.h"

namespace wt::model {

// Keras 2's LocallyConnected1D and LocallyConnected2D: a convolution without padding whose kernel differs from place to
// place, [places, size of a window * channels, filters] (Keras' implementation 1). The bias is [spatial axes...,
// filters]. Dilation and groups are 1.
LayerPtr locally_connected1d(ConvolutionConfig config);
LayerPtr locally_connected2d(ConvolutionConfig config);

}  // namespace wt::model
