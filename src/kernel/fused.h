#pragma once
// Kernels that compute two other kernels in one pass over memory.

#include "kernel/kernel.h"

namespace wt {

// The kernel that computes `second` of the only output of `first`, from the inputs of `first`. It applies the
// same two formulas to every element, so it gives the same bits as the two kernels. Null if there is none.
const Kernel* fused(const Kernel& first, const Kernel& second);

}  // namespace wt
