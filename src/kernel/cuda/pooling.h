#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void max_pool(const Numbers& numbers, device::CudaQueue& queue);
void max_pool_gradient(const Numbers& numbers, device::CudaQueue& queue);
void average_pool(const Numbers& numbers, device::CudaQueue& queue);
void average_pool_gradient(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
