#pragma once

#include <memory>
#include <vector>

#include "device/queue.h"
#include "kernel/kernel.h"

namespace wt {

// A kernel bound to the addresses of its operands. A launch is prepared once and run in every step.
struct Launch {
  const Kernel* kernel = nullptr;
  Attributes attributes{};
  std::vector<View> inputs{};
  std::vector<View> outputs{};
  std::span<std::byte> workspace{};
  std::shared_ptr<const void> prepared{};  // a backend's own data, made when the launch was bound
};

std::vector<TensorSpec> specs_of(std::span<const View> views);

// The task that runs the launch on the queue's device. Requires: the launch outlives the task and does not
// move.
device::Task task_of(Launch& launch, device::Queue& queue);

device::Task cpu_task(const Launch& launch, device::Queue& queue);  // Requires: the queue is a CpuQueue.
device::Task cuda_task(Launch& launch, device::Queue& queue);       // Requires: the queue is a CudaQueue.

}  // namespace wt
