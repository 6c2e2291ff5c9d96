#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/pooling.cpp.
void max_pool(const Numbers& numbers, device::Workers& workers);
void max_pool_gradient(const Numbers& numbers, device::Workers& workers);
void average_pool(const Numbers& numbers, device::Workers& workers);
void average_pool_gradient(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
