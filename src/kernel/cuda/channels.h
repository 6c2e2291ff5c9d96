#pragma once

#include <span>

#include "kernel/cuda/cut.h"

namespace wt::cuda {

// x as rows of channels, for normalisations: sums per channel over all rows, and a workspace with some numbers per
// channel, in double, before the sums' partial results.
struct Channels {
  Index rows = 0, width = 0;
  Cut cut{};

  static constexpr Index vectors = 3;          // of numbers per channel
  static constexpr Index value_bytes = 2 * 8;  // of a partial result: a pair of sums
  Index workspace_bytes() const { return vectors * width * 8 + cut.partials() * value_bytes; }

  double* vector(std::span<std::byte> workspace, Index index) const {
    return reinterpret_cast<double*>(workspace.data()) + index * width;
  }
  std::span<std::byte> partials(std::span<std::byte> workspace) const {
    return workspace.subspan(static_cast<std::size_t>(vectors * width * 8));
  }
};

inline Channels channels_of(const Shape& x) {
  const Index rows = x.elements(0, x.rank() - 1);
  return {rows, x.last(), cut_of(x.last(), rows, x.last() == 1)};
}

}  // namespace wt::cuda
