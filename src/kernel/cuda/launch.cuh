#pragma once

#include <string_view>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// The one place where kernels are launched. tests/emulation/ has another, which runs them on the CPU: so they are tested
// where there is no GPU.
template <class... Parameters, class... Arguments>
void launch(device::CudaQueue& queue, std::string_view what, Index grid, int block,
            void (*kernel)(Parameters...), const Arguments&... arguments) {
  kernel<<<blocks(grid), block, 0, queue.stream()>>>(arguments...);
  device::check(cudaGetLastError(), what, queue.device());
}

}  // namespace wt::cuda
