#pragma once

#include <span>
#include <utility>

#include "kernel/convolution.h"
#include "kernel/cuda/images.h"
#include "kernel/cuda/table.h"

namespace wt::cuda {

// A convolution as cuDNN takes it. The filter is stored as [d, kh, kw, c / groups].
struct DnnConvolution {
  ConvolutionGeometry::Pass pass{};
  ConvolutionShapes shapes{};
  Axis height{}, width{};
  Index groups = 1;
};

// Whether cuDNN can represent the convolution: it pads both ends of an axis alike, counts elements in 31 bits,
// and takes all other numbers as int. A filter with few elements may still be far apart: seven taps with a
// dilation of 2^30 and padding "same" are padded by 3 * 2^30 pixels.
inline bool suits_dnn(const DnnConvolution& c) {
  const auto is_even = [](const Axis& axis) {
    const Index span = (axis.window - 1) * axis.dilation + 1;
    return (axis.input + 2 * axis.padding - span) / axis.stride + 1 == axis.output;
  };
  const auto is_small = [](const Shape& shape) {
    return shape.elements() > 0 && std::in_range<int>(shape.elements());
  };
  const auto has_ints = [](const Axis& axis) {
    return std::in_range<int>(axis.padding) && std::in_range<int>(axis.stride) &&
           std::in_range<int>(axis.dilation);
  };
  return has_ints(c.height) && has_ints(c.width) && is_even(c.height) && is_even(c.width) &&
         is_small(c.shapes.x) && is_small(c.shapes.filter) && is_small(c.shapes.y);
}

// Enqueues the convolution in the queue's precision, by the fastest algorithm of cuDNN that is deterministic
// and whose scratch memory fits into the workspace. Returns false if there is no such algorithm, and has then
// enqueued nothing. The operands are in the order of the pass's kernel. Requires: suits_dnn(convolution).
bool convolve_by_dnn(const DnnConvolution& convolution, const float* first, const float* second,
                     float* result, std::span<std::byte> workspace, device::CudaQueue& queue);

}  // namespace wt::cuda
