#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

// A label that is not a class gives NaN in its row, as in TensorFlow on a GPU. The CPU throws InputError.
void softmax(const Numbers& numbers, device::CudaQueue& queue);
void softmax_gradient(const Numbers& numbers, device::CudaQueue& queue);
void sparse_softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);
void softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
