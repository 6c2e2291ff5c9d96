#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

// Floats are summed in double and integers in int64, as on the CPU.
void apply_reduce_sum(const Numbers& numbers, device::CudaQueue& queue);
void apply_reduce_mean(const Numbers& numbers, device::CudaQueue& queue);
void apply_reduce_max(const Numbers& numbers, device::CudaQueue& queue);
void apply_argmax(const Numbers& numbers, device::CudaQueue& queue);
Bytes reduction_workspace(const Call& call);
Bytes argmax_workspace(const Call& call);

}  // namespace wt::cuda
