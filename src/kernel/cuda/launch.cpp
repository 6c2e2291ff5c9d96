#include "kernel/launch.h"

#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/kernels.h"
#include "kernel/cuda/table.h"
#include "kernel/halves.h"

namespace wt {

namespace {

Numbers numbers_of(const Launch& launch, std::span<std::byte> workspace) {
  return {launch.inputs, launch.outputs, workspace, launch.attributes};
}

void apply(const Numbers& numbers, const Launch& launch, device::CudaQueue& queue) {
  cuda::find_row(launch.kernel->name)->apply(numbers, queue);
}

void convert(const View& from, const View& to, device::CudaQueue& queue) {
  static const Attributes none{};
  cuda::apply_cast({{&from, 1}, {&to, 1}, {}, none}, queue);
}

// Matrix units round their operands to the type of the halves, which leaves them as they are.
device::Precision precision_of(const Launch& launch) {
  for (const auto& views : {launch.inputs, launch.outputs})
    for (const View& view : views)
      if (view.spec.type == Type::float16) return device::Precision::float16;
  return device::Precision::bfloat16;
}

// The copies lie at the begin of the workspace.
void apply_with_copies(const Launch& launch, device::CudaQueue& queue) {
  const std::vector<TensorSpec> inputs = specs_of(launch.inputs), outputs = specs_of(launch.outputs);
  const auto bytes =
      static_cast<std::size_t>(halves::bytes_of_copies({inputs, outputs, launch.attributes}).count());
  const Numbers given = numbers_of(launch, queue.workspace().subspan(bytes));
  const halves::Copies copied(given, queue.workspace().first(bytes));
  copied.each_input([&](const View& half, const View& copy) { convert(half, copy, queue); });
  const device::Precision before = queue.precision();
  queue.set_precision(precision_of(launch));
  apply(copied.numbers(), launch, queue);
  queue.set_precision(before);
  copied.each_output([&](const View& half, const View& copy) { convert(copy, half, queue); });
}

}  // namespace

// Kernels use the workspace of the queue, which is reserved here. The plan's workspace has the size that the
// CPU's kernel needs.
device::Task cuda_task(Launch& launch, device::Queue& queue) {
  const std::string_view name = launch.kernel->name;
  WT_EXPECT(cuda::find_row(name) != nullptr, "a GPU has no kernel {}", name);
  const std::vector<TensorSpec> inputs = specs_of(launch.inputs), outputs = specs_of(launch.outputs);
  const Call call{inputs, outputs, launch.attributes};
  auto& gpu = static_cast<device::CudaQueue&>(queue);
  const Bytes own = cuda::workspace_bytes(name, call);
  if (!halves::needs_copies(*launch.kernel, call)) {
    gpu.reserve_workspace(own);
    return {[](const void* work, device::Queue& running) {
              const auto& bound = *static_cast<const Launch*>(work);
              auto& there = static_cast<device::CudaQueue&>(running);
              apply(numbers_of(bound, there.workspace()), bound, there);
            },
            &launch};
  }
  gpu.reserve_workspace(halves::bytes_of_copies(call) + own);
  return {[](const void* work, device::Queue& running) {
            apply_with_copies(*static_cast<const Launch*>(work), static_cast<device::CudaQueue&>(running));
          },
          &launch};
}

}  // namespace wt
