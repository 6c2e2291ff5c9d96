#pragma once

#include <string_view>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// Ends the work of the GPU, which answers all later calls with cudaErrorAssert. CUDA prints the claim that doesn't hold. Where
// the host's code is compiled without assertions, its compiler doesn't know the function.
__device__ inline void give_up([[maybe_unused]] const char* claim) {
#ifdef __CUDA_ARCH__
  __assert_fail(claim, "a kernel", 0, "wt::cuda");
#endif
}

// The only place where CUDA kernels are launched. tests/emulation/ replaces this file by one that runs them
// on the CPU, so that they are tested on machines without a GPU.
template <class... Parameters, class... Arguments>
void launch(device::CudaQueue& queue, std::string_view what, Index grid, int block,
            void (*kernel)(Parameters...), const Arguments&... arguments) {
  kernel<<<blocks(grid), block, 0, queue.stream()>>>(arguments...);
  device::check(cudaGetLastError(), what, queue.device());
}

}  // namespace wt::cuda
