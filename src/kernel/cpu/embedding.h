#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/embedding.cpp. Both throw InputError for an id that is not in the table.
void embedding(const Numbers& numbers, device::Workers& workers);
void embedding_gradient(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
