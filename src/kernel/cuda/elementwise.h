#pragma once

#include "kernel/cuda/table.h"
#include "kernel/elementwise.h"

namespace wt::cuda {

// An integer divided by 0 gives 0, since a GPU cannot stop the program as the CPU does.
void apply_unary(Unary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_binary(Binary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_comparison(Comparison operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_select(const Numbers& numbers, device::CudaQueue& queue);
void apply_cast(const Numbers& numbers, device::CudaQueue& queue);
void apply_fill(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
