#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

// An id that is not in the table gives a row of zeros, as in TensorFlow on a GPU. The CPU throws InputError.
void embedding(const Numbers& numbers, device::CudaQueue& queue);
void embedding_gradient(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
