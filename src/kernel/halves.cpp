#include "kernel/halves.h"

#include <algorithm>

namespace wt::halves {

namespace {

constexpr std::int64_t alignment = 256;  // what a GPU's allocator gives

bool has_half(std::span<const TensorSpec> specs) {
  return std::ranges::any_of(specs, [](const TensorSpec& spec) { return is_half(spec.type); });
}

std::int64_t bytes_of_copy(const TensorSpec& spec) {
  if (!is_half(spec.type)) return 0;
  return (widened(spec).bytes().count() + alignment - 1) / alignment * alignment;
}

}  // namespace

bool needs_copies(const Kernel& kernel, const Call& call) {
  return !kernel.takes_halves && (has_half(call.inputs) || has_half(call.outputs));
}

TensorSpec widened(const TensorSpec& spec) { return {wide_type(spec.type), spec.shape}; }

std::vector<TensorSpec> widened(std::span<const TensorSpec> specs) {
  std::vector<TensorSpec> wide;
  for (const TensorSpec& spec : specs) wide.push_back(widened(spec));
  return wide;
}

Bytes bytes_of_copies(const Call& call) {
  std::int64_t bytes = 0;
  for (const auto specs : {call.inputs, call.outputs})
    for (const TensorSpec& spec : specs) bytes += bytes_of_copy(spec);
  return Bytes(bytes);
}

Copies::Copies(const Numbers& numbers, std::span<std::byte> memory) : given_(numbers) {
  std::byte* next = memory.data();
  const auto place = [&](std::span<const View> given, Views& views) {
    WT_EXPECT(given.size() <= most, "a call has {} operands, of which some are halves", given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const TensorSpec& spec = given[i].spec;
      views[i] = is_half(spec.type) ? View{widened(spec), next} : given[i];
      next += bytes_of_copy(spec);
    }
  };
  place(numbers.inputs, inputs_);
  place(numbers.outputs, outputs_);
  WT_EXPECT(next <= memory.data() + memory.size(), "{} bytes for copies of halves are too few",
            memory.size());
}

Numbers Copies::numbers() const {
  return {{inputs_.data(), given_.inputs.size()},
          {outputs_.data(), given_.outputs.size()},
          given_.workspace,
          given_.attributes};
}

}  // namespace wt::halves
