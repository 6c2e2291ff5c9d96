#include "kernel/launch.h"

namespace wt {

device::Task task_of(Launch& launch, device::Queue& queue) {
  switch (queue.backend()) {
    case device::Backend::cpu:
      return cpu_task(launch);
    case device::Backend::cuda:
      break;
  }
  return cuda_task(launch, queue);
}

}  // namespace wt
