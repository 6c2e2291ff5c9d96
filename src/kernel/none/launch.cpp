#include "kernel/launch.h"

namespace wt {

device::Task cuda_task(Launch& launch, device::Queue&) {
  WT_EXPECT(false, "{} is bound to a GPU by a program without CUDA", launch.kernel->name);
  return {};
}

}  // namespace wt
