#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// Runs a kernel with copies of its halves in float32 (kernel/halves.h). Requires: halves::needs_copies, and `copies` has
// halves::bytes_of_copies. Allocates nothing.
void apply_with_copies(const Kernel& kernel, const Numbers& numbers, std::span<std::byte> copies,
                       device::Workers& workers);

}  // namespace wt::cpu
