#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/optimizer.cpp.
void apply_sgd_update(const Numbers& numbers, device::Workers& workers);
void apply_adam_update(const Numbers& numbers, device::Workers& workers);
void apply_rmsprop_update(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
