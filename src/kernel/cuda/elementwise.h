#pragma once

#include "kernel/cuda/table.h"
#include "kernel/elementwise.h"

namespace wt::cuda {

void apply_unary(Unary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_binary(Binary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_comparison(Comparison operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_select(const Numbers& numbers, device::CudaQueue& queue);
void apply_cast(const Numbers& numbers, device::CudaQueue& queue);
void apply_fill(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
