#pragma once

#include "kernel/elementwise.h"
#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/elementwise.cpp. apply_binary throws InputError for an integer division by
// 0.
void apply_unary(Unary operation, const Numbers& numbers, device::Workers& workers);
void apply_binary(Binary operation, const Numbers& numbers, device::Workers& workers);
void apply_comparison(Comparison operation, const Numbers& numbers, device::Workers& workers);
void apply_select(const Numbers& numbers, device::Workers& workers);
void apply_cast(const Numbers& numbers, device::Workers& workers);
void apply_fill(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
