#pragma once
// Kernels compute with float32 and float64. A call with float16 or bfloat16 operands is computed with copies of them in
// float32, and its results are rounded. So a half is rounded where a kernel writes it and nowhere else, as in a
// TensorFlow kernel that accumulates in float32. The copies lie in memory of the queue and not of the plan.

#include <array>

#include "kernel/kernel.h"

namespace wt::halves {

// Whether the kernel is given copies in float32. Kernels that only move or convert numbers take halves as they are.
bool needs_copies(const Kernel& kernel, const Call& call);

TensorSpec widened(const TensorSpec& spec);  // float32 in place of a half
std::vector<TensorSpec> widened(std::span<const TensorSpec> specs);

Bytes bytes_of_copies(const Call& call);

// The operands of a call in which copies stand for the halves. It allocates nothing.
class Copies {
 public:
  // Requires: `memory` has bytes_of_copies().
  Copies(const Numbers& numbers, std::span<std::byte> memory);

  Numbers numbers() const;  // of the call with copies

  // Calls f(half, copy) for each input, or output, that has a copy.
  template <class F>
  void each_input(F&& f) const {
    each(given_.inputs, inputs_, f);
  }
  template <class F>
  void each_output(F&& f) const {
    each(given_.outputs, outputs_, f);
  }

 private:
  static constexpr std::size_t most = 24;  // operands of a kernel, of which optimizers alone have more
  using Views = std::array<View, most>;

  template <class F>
  static void each(std::span<const View> given, const Views& copies, F& f) {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (is_half(given[i].spec.type)) f(given[i], copies[i]);
  }

  const Numbers& given_;
  Views inputs_{};
  Views outputs_{};
};

}  // namespace wt::halves
