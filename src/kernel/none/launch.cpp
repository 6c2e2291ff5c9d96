// Stands in for kernel/cuda/launch.cpp in a build without CUDA, where no queue of a GPU exists.
#include "kernel/launch.h"

namespace wt {

device::Task cuda_task(Launch& launch, device::Queue&) {
  WT_EXPECT(false, "kernel {} was bound to a GPU in a build without CUDA", launch.kernel->name);
  return {};
}

}  // namespace wt
