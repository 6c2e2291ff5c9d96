#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void embedding(const Numbers& numbers, device::CudaQueue& queue);
void embedding_gradient(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
