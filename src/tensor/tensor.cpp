#include "tensor/tensor.h"

#include <fmt/format.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstring>
#include <new>

#include "base/free_memory.h"

namespace wt {

namespace {
constexpr std::align_val_t alignment{64};
constexpr std::size_t large_page = std::size_t{2} << 20;
}  // namespace

std::string print(const TensorSpec& spec) { return fmt::format("{}{}", name(spec.type), print(spec.shape)); }

// Large allocations request large pages before the memory is touched. In a step with 50 MB of tensors, this
// makes kernels that are limited by memory (pooling, the gradient of relu) a quarter faster.
std::shared_ptr<std::byte> allocate_numbers(Bytes size) {
  require_memory(size, "a tensor", "use smaller batches or fewer replicas");
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(size.count(), 1));
  const std::align_val_t place = count < 2 * large_page ? alignment : std::align_val_t{large_page};
  auto* data = static_cast<std::byte*>(::operator new(count, place));
#if defined(__linux__)
  // The result is ignored: without large pages, kernels are only slower.
  if (count >= 2 * large_page) ::madvise(data, count / large_page * large_page, MADV_HUGEPAGE);
#endif
  std::memset(data, 0, count);
  return {data, [place](std::byte* pointer) { ::operator delete(pointer, place); }};
}

Tensor Tensor::shape_only(TensorSpec spec) {
  Tensor tensor;
  tensor.view_.spec = spec;
  return tensor;
}

Tensor Tensor::zeros(TensorSpec spec) {
  Tensor tensor = shape_only(spec);
  tensor.owner_ = allocate_numbers(spec.bytes());
  tensor.view_.data = tensor.owner_.get();
  return tensor;
}

const View& Tensor::view() const {
  WT_EXPECT(has_numbers(), "a shape-only tensor {} has no numbers to read", print(spec()));
  return view_;
}

std::span<std::byte> Tensor::bytes() const {
  return {view().data, static_cast<std::size_t>(spec().bytes().count())};
}

Tensor Tensor::reshaped(const Shape& shape) const {
  WT_EXPECT(shape.elements() == spec().elements(), "{} cannot be seen as {}", print(spec()), print(shape));
  Tensor tensor = *this;
  tensor.view_.spec.shape = shape;
  return tensor;
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  WT_EXPECT(shape().rank() > 0, "a scalar has no rows");
  WT_EXPECT(0 <= begin && begin <= end && end <= shape()[0], "rows {} to {} of {}", begin, end,
            print(spec()));
  Tensor tensor = *this;
  tensor.view_.spec.shape[0] = end - begin;
  const std::int64_t row_bytes = shape().elements(1, shape().rank()) * bytes_per_element(type());
  if (has_numbers()) tensor.view_.data += begin * row_bytes;
  return tensor;
}

Tensor Tensor::copy() const {
  if (!has_numbers()) return *this;
  Tensor tensor = zeros(spec());
  std::memcpy(tensor.view_.data, view_.data, static_cast<std::size_t>(spec().bytes().count()));
  return tensor;
}

}  // namespace wt
