#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` and `workspace` functions of kernel/reduction.cpp.
void apply_reduce_sum(const Numbers& numbers, device::Workers& workers);
void apply_reduce_mean(const Numbers& numbers, device::Workers& workers);
void apply_reduce_max(const Numbers& numbers, device::Workers& workers);
void apply_argmax(const Numbers& numbers, device::Workers& workers);

Bytes reduction_workspace(const Call& call);

}  // namespace wt::cpu
