#pragma once

#include "kernel/cuda/table.h"
#include "kernel/work.h"

namespace wt::cuda {

template <ConvolutionGeometry::Pass pass>
void convolution(const Numbers& numbers, device::CudaQueue& queue);
template <ConvolutionGeometry::Pass pass>
Bytes convolution_workspace(const Call& call);

}  // namespace wt::cuda
