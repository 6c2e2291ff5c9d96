#pragma once
// Kernels that are two others in one pass over memory.

#include "kernel/kernel.h"

namespace wt {

// The kernel that gives, with `first`'s inputs, what `second` makes of the first's only output; bit for bit, since both
// use the two's formulas for an element. Null: there is none.
const Kernel* fused(const Kernel& first, const Kernel& second);

}  // namespace wt
