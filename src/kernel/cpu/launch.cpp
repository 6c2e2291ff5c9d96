#include "kernel/launch.h"

#include "device/cpu/cpu_queue.h"
#include "kernel/cpu/halves.h"
#include "kernel/halves.h"

namespace wt {

namespace {

Numbers numbers_of(const Launch& launch) {
  return {launch.inputs, launch.outputs, launch.workspace, launch.attributes};
}

}  // namespace

device::Task cpu_task(const Launch& launch, device::Queue& queue) {
  const std::vector<TensorSpec> inputs = specs_of(launch.inputs), outputs = specs_of(launch.outputs);
  const Call call{inputs, outputs, launch.attributes};
  if (!halves::needs_copies(*launch.kernel, call))
    return {[](const void* work, device::Queue& running) {
              const auto& bound = *static_cast<const Launch*>(work);
              bound.kernel->apply(numbers_of(bound), static_cast<device::CpuQueue&>(running).workers());
            },
            &launch};
  static_cast<device::CpuQueue&>(queue).reserve_copies(halves::bytes_of_copies(call));
  return {[](const void* work, device::Queue& running) {
            const auto& bound = *static_cast<const Launch*>(work);
            auto& cpu = static_cast<device::CpuQueue&>(running);
            cpu::apply_with_copies(*bound.kernel, numbers_of(bound), cpu.copies(), cpu.workers());
          },
          &launch};
}

}  // namespace wt
