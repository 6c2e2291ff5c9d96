#pragma once

#include "model/layers/convolution.h"

namespace wt::model {

// How Keras keeps the kernel, the values of its "implementation" in their order.
enum class LocalKernel : std::uint8_t {
  windows,  // [places, size of a window * channels, filters]
  dense,    // [axes of the input..., channels, axes of the result..., filters], of which most doesn't count
  sparse    // [all numbers that count], by place, filter, place in the window and channel
};

// Keras 2's LocallyConnected1D and LocallyConnected2D: a convolution whose kernel differs from place to place. The bias is
// [spatial axes..., filters]. Dilation and groups are 1. A kernel of windows goes without padding, and with the padding
// "same" a window reaches half of its size, rounded down, to the left of its place.
//
// With channels first (Layer::put_channels_first) the kernel's numbers are in another order, in which channels come before
// the axes of the input, and filters before those of the result. The bias has its shape, and its numbers are taken as
// [filters, spatial axes...], as Keras takes them.
struct LocallyConnectedConfig {
  ConvolutionConfig base{};
  LocalKernel kernel = LocalKernel::windows;
};
LayerPtr locally_connected1d(LocallyConnectedConfig config);
LayerPtr locally_connected2d(LocallyConnectedConfig config);

}  // namespace wt::model
