#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` functions of kernel/loss.cpp. sparse_softmax_cross_entropy throws InputError for a label that
// is not a class.
void sparse_softmax_cross_entropy(const Numbers& numbers, device::Workers& workers);
void softmax_cross_entropy(const Numbers& numbers, device::Workers& workers);
void mean_squared_error(const Numbers& numbers, device::Workers& workers);
void mean_squared_error_gradient(const Numbers& numbers, device::Workers& workers);
void binary_cross_entropy(const Numbers& numbers, device::Workers& workers);
void binary_cross_entropy_gradient(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
