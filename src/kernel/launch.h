#pragma once

#include <memory>
#include <vector>

#include "device/queue.h"
#include "kernel/kernel.h"

namespace wt {

// A kernel bound to its operands' addresses: everything a queue needs to run it, prepared once, run every
// step.
struct Launch {
  const Kernel* kernel = nullptr;
  Attributes attributes{};
  std::vector<View> inputs{};
  std::vector<View> outputs{};
  std::span<std::byte> workspace{};
  std::shared_ptr<const void> prepared{};  // the backend's own: what it chose and described when it was bound
};

// The task that runs it on the queue's device. Requires: the launch outlives the task and stays where it is.
device::Task task_of(Launch& launch, device::Queue& queue);

device::Task cpu_task(const Launch& launch);                   // Requires: a CpuQueue runs it.
device::Task cuda_task(Launch& launch, device::Queue& queue);  // Requires: a CudaQueue.

}  // namespace wt
