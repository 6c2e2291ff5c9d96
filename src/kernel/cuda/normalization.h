#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void batch_norm(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_inference(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);

// Of all five: what sums over rows and numbers per channel need.
Bytes normalization_workspace(const Call& call);

}  // namespace wt::cuda
