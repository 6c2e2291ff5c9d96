#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void apply_sgd_update(const Numbers& numbers, device::CudaQueue& queue);
void apply_adam_update(const Numbers& numbers, device::CudaQueue& queue);
void apply_rmsprop_update(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
