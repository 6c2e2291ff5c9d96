#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void softmax(const Numbers& numbers, device::CudaQueue& queue);
void softmax_gradient(const Numbers& numbers, device::CudaQueue& queue);
void sparse_softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);
void softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
