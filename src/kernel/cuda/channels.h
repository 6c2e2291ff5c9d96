#pragma once

#include <span>

#include "kernel/cuda/cut.h"

namespace wt::cuda {

// x as rows of channels, as normalisations see it. They take sums over all rows for each channel. The
// workspace has three vectors of one double per channel, and behind them the partial results of the sums.
struct Channels {
  Index rows = 0, width = 0;
  Cut cut{};

  static constexpr Index vectors = 3;
  static constexpr Index value_bytes = 2 * 8;  // of a partial result, which is a pair of sums
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
