#pragma once

#include <string_view>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// The only place where CUDA kernels are launched. tests/emulation/ replaces this file by one that runs them
// on the CPU, so that they are tested on machines without a GPU.
template <class... Parameters, class... Arguments>
void launch(device::CudaQueue& queue, std::string_view what, Index grid, int block,
            void (*kernel)(Parameters...), const Arguments&... arguments) {
  kernel<<<blocks(grid), block, 0, queue.stream()>>>(arguments...);
  device::check(cudaGetLastError(), what, queue.device());
}

}  // namespace wt::cuda
