#pragma once

#include <cmath>
#include <string_view>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "emulation/threads.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

template <class... Parameters, class... Arguments>
void launch(device::CudaQueue&, std::string_view, Index grid, int block, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  blocks(grid);
  emulation::run(grid, block, [&] { kernel(arguments...); });
}

}  // namespace wt::cuda
