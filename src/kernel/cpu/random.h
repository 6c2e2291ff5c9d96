#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/random.cpp.
void dropout(const Numbers& numbers, device::Workers& workers);
void dropout_gradient(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
