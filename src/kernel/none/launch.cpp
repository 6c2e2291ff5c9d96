#include "kernel/launch.h"

namespace wt {

device::Task cuda_task(Launch& launch, device::Queue&) {
  expect(false, "{} is bound to a GPU by a program without CUDA", launch.kernel->name);
  return {};
}

}  // namespace wt
