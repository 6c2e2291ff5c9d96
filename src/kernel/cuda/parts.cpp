#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/kernels.h"

namespace wt::cuda {
namespace {

// The parts of a whole tensor are side by side in each of its rows, and CUDA copies them as rows of bytes.
// Calls f(part, address of the part in the whole, its bytes per row) for every part that has elements.
template <class F>
void for_each_part(const PartsAttributes& parts, const View& whole, F&& f) {
  if (whole.spec.elements() == 0) return;
  const Shape& shape = whole.spec.shape;
  const std::int64_t unit = shape.elements(parts.axis + 1, shape.rank()) * bytes_per_element(whole.spec.type);
  std::int64_t begin = 0;
  for (int part = 0; part < parts.sizes.rank(); ++part) {
    const std::int64_t width = parts.sizes[part] * unit;
    if (width > 0) f(static_cast<std::size_t>(part), whole.data + begin, static_cast<std::size_t>(width));
    begin += width;
  }
}

struct Rows {
  std::size_t count, bytes;
};

Rows rows_of(const PartsAttributes& parts, const TensorSpec& whole) {
  const auto count = static_cast<std::size_t>(whole.shape.elements(0, parts.axis));
  return {count, count == 0 ? 0 : static_cast<std::size_t>(whole.bytes().count()) / count};
}

}  // namespace

void apply_concat(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& parts = attributes_as<PartsAttributes>(numbers.attributes);
  const View& whole = numbers.outputs[0];
  const Rows rows = rows_of(parts, whole.spec);
  for_each_part(parts, whole, [&](std::size_t part, std::byte* place, std::size_t width) {
    device::check(cudaMemcpy2DAsync(place, rows.bytes, numbers.inputs[part].data, width, width, rows.count,
                                    cudaMemcpyDeviceToDevice, queue.stream()),
                  "copy a part into its whole", queue.device());
  });
}

void apply_split(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& parts = attributes_as<PartsAttributes>(numbers.attributes);
  const View& whole = numbers.inputs[0];
  const Rows rows = rows_of(parts, whole.spec);
  for_each_part(parts, whole, [&](std::size_t part, const std::byte* place, std::size_t width) {
    device::check(cudaMemcpy2DAsync(numbers.outputs[part].data, width, place, rows.bytes, width, rows.count,
                                    cudaMemcpyDeviceToDevice, queue.stream()),
                  "copy a part out of its whole", queue.device());
  });
}

}  // namespace wt::cuda
