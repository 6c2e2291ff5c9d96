#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void dropout(const Numbers& numbers, device::CudaQueue& queue);
void dropout_gradient(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
