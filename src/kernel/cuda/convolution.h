#pragma once

#include "kernel/cuda/table.h"
#include "kernel/work.h"

namespace wt::cuda {

// A convolution whose windows are single pixels is one matrix product. Other float32 convolutions go to cuDNN
// where it has a deterministic algorithm (dnn.h). The rest are matrix products over patches (patches.h).
template <ConvolutionGeometry::Pass pass>
void convolution(const Numbers& numbers, device::CudaQueue& queue);
template <ConvolutionGeometry::Pass pass>
Bytes convolution_workspace(const Call& call);

}  // namespace wt::cuda
