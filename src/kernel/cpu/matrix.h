#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` and `workspace` functions of kernel/matrix.cpp.
void matmul(const Numbers& numbers, device::Workers& workers);
Bytes matmul_workspace(const Call& call);

}  // namespace wt::cpu
