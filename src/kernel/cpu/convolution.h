#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` and `workspace` functions of kernel/convolution.cpp, one pair for each pass.
template <ConvolutionGeometry::Pass pass>
void convolution(const Numbers& numbers, device::Workers& workers);
template <ConvolutionGeometry::Pass pass>
Bytes convolution_workspace(const Call& call);

}  // namespace wt::cpu
