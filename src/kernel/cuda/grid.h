#pragma once
// How a problem is spread over the threads of a GPU. It depends on the size of the problem and on constants,
// never on the device, so that a sum is split at the same places on every GPU.

#include "base/error.h"
#include "kernel/strides.h"

namespace wt::cuda {

using Index = std::int64_t;

inline constexpr int warp = 32;       // threads that run in lockstep
inline constexpr int threads = 256;   // of every block
inline constexpr int per_thread = 4;  // elements per thread: enough loads in flight to hide their latency

// The number of blocks in CUDA's type. Requires: it is positive and fits into 31 bits, as CUDA demands along
// x.
inline unsigned blocks(Index count) {
  WT_EXPECT(count > 0 && count < Index{1} << 31, "a grid of {} blocks", count);
  return static_cast<unsigned>(count);
}

// The number of threads that work on one row together: a warp, or a whole block for long rows.
inline int team_size(Index width) { return width <= 1024 ? warp : threads; }

}  // namespace wt::cuda
