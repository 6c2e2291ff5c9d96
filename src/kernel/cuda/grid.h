#pragma once
// How a problem is spread over a GPU's threads: by its size and constants alone, never by the device, so that a sum is
// split at the same places on every GPU.

#include "base/error.h"
#include "kernel/strides.h"

namespace wt::cuda {

using Index = std::int64_t;

inline constexpr int warp = 32;
inline constexpr int threads = 256;   // of every block
inline constexpr int per_thread = 4;  // elements: enough loads under way to hide their latency

// CUDA counts blocks along x in 31 bits.
inline unsigned blocks(Index count) {
  WT_EXPECT(count > 0 && count < Index{1} << 31, "a grid of {} blocks", count);
  return static_cast<unsigned>(count);
}

// Threads that work on one row together: a warp, or for long rows a whole block.
inline int team_size(Index width) { return width <= 1024 ? warp : threads; }

}  // namespace wt::cuda
