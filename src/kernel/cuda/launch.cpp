#include "kernel/launch.h"

#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/table.h"

namespace wt {

namespace {

std::vector<TensorSpec> specs_of(std::span<const View> views) {
  std::vector<TensorSpec> specs;
  for (const View& view : views) specs.push_back(view.spec);
  return specs;
}

}  // namespace

// Kernels use the workspace of the queue, which is reserved here. The plan's workspace has the size that the
// CPU's kernel needs.
device::Task cuda_task(Launch& launch, device::Queue& queue) {
  const std::string_view name = launch.kernel->name;
  WT_EXPECT(cuda::find_row(name) != nullptr, "a GPU has no kernel {}", name);
  const std::vector<TensorSpec> inputs = specs_of(launch.inputs), outputs = specs_of(launch.outputs);
  static_cast<device::CudaQueue&>(queue).reserve_workspace(
      cuda::workspace_bytes(name, {inputs, outputs, launch.attributes}));
  return {[](const void* work, device::Queue& running) {
            const auto& bound = *static_cast<const Launch*>(work);
            auto& gpu = static_cast<device::CudaQueue&>(running);
            cuda::find_row(bound.kernel->name)
                ->apply({bound.inputs, bound.outputs, gpu.workspace(), bound.attributes}, gpu);
          },
          &launch};
}

}  // namespace wt
