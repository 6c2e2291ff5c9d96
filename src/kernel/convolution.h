#pragma once

#include "kernel/kernel.h"

namespace wt {

// The three tensors of a convolution. Each pass has two of them as operands and the third as its result.
struct ConvolutionShapes {
  Shape x{}, filter{}, y{};
};

// Assigns the shapes of a pass's operands, in the order of its kernel, and of its result to x, filter and y.
ConvolutionShapes convolution_shapes(ConvolutionGeometry::Pass pass, const Shape& first, const Shape& second,
                                     const Shape& result);

}  // namespace wt
