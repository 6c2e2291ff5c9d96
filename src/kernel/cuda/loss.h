#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

// Losses that are a mean along the last axis, and their gradients. The losses with a softmax are in
// softmax.h.
void mean_squared_error(const Numbers& numbers, device::CudaQueue& queue);
void mean_squared_error_gradient(const Numbers& numbers, device::CudaQueue& queue);
void binary_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);
void binary_cross_entropy_gradient(const Numbers& numbers, device::CudaQueue& queue);
Bytes row_loss_workspace(const Call& call);

}  // namespace wt::cuda
