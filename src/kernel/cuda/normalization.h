#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void batch_norm(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_inference(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);

// The workspace of the kernels that need one: vectors per channel, and partial sums over rows (channels.h).
Bytes normalization_workspace(const Call& call);

}  // namespace wt::cuda
