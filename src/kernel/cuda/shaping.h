#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

void apply_transpose(const Numbers& numbers, device::CudaQueue& queue);
void apply_broadcast_to(const Numbers& numbers, device::CudaQueue& queue);
void apply_concat(const Numbers& numbers, device::CudaQueue& queue);
void apply_split(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
