#include "kernel/launch.h"

namespace wt {

std::vector<TensorSpec> specs_of(std::span<const View> views) {
  std::vector<TensorSpec> specs;
  for (const View& view : views) specs.push_back(view.spec);
  return specs;
}

device::Task task_of(Launch& launch, device::Queue& queue) {
  switch (queue.backend()) {
    case device::Backend::cpu:
      return cpu_task(launch, queue);
    case device::Backend::cuda:
      break;
  }
  return cuda_task(launch, queue);
}

}  // namespace wt
