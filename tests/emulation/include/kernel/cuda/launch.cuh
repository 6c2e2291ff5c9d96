#pragma once

#include <cmath>
#include <string_view>
#include <type_traits>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "emulation/launch.h"
#include "emulation/machine.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// The thread goes on, and the GPU does nothing more after its kernel.
inline void give_up(const char* claim) { emulation::machine().give_up(claim); }

template <class... Parameters>
void launch(device::CudaQueue& queue, std::string_view what, Index grid, int block,
            void (*kernel)(Parameters...), const std::type_identity_t<Parameters>&... arguments) {
  emulation::launch<Parameters...>(blocks(grid), block, queue.stream(), kernel, arguments...);
  device::check(cudaGetLastError(), what, queue.device());
}

}  // namespace wt::cuda
