#pragma once

#include <span>

#include "kernel/kernel.h"

namespace wt {

// The rows of each family, which stand at the bottom of its file. The table sorts them by name; within a file
// they stand in the order that reads best.
std::span<const Kernel> elementwise_kernels();
std::span<const Kernel> shaping_kernels();
std::span<const Kernel> reduction_kernels();
std::span<const Kernel> matrix_kernels();
std::span<const Kernel> convolution_kernels();
std::span<const Kernel> pooling_kernels();
std::span<const Kernel> normalization_kernels();
std::span<const Kernel> random_kernels();
std::span<const Kernel> embedding_kernels();
std::span<const Kernel> recurrent_kernels();
std::span<const Kernel> resize_kernels();
std::span<const Kernel> hash_kernels();
std::span<const Kernel> loss_kernels();
std::span<const Kernel> optimizer_kernels();

}  // namespace wt
