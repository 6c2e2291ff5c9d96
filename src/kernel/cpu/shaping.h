#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/shaping.cpp.
void apply_transpose(const Numbers& numbers, device::Workers& workers);
void apply_broadcast_to(const Numbers& numbers, device::Workers& workers);
void apply_concat(const Numbers& numbers, device::Workers& workers);
void apply_split(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
