#pragma once
// TensorFlow's BFC allocator ("best fit with coalescing", after Doug Lea's), on addresses instead of memory: used
// when a plan is made, so that a shape-only plan runs out of memory exactly where a real one would.

#include <cstdint>
#include <string>

#include "base/quantity.h"

namespace wt::device {

// How a logical device gets its memory.
struct MemoryOptions {
  std::string allocator = "GPU_0_bfc";  // its name in messages
  Bytes limit{};
  bool growth = false;  // begin small and double, instead of taking the limit at once
  bool garbage_collection =
      false;  // give wholly free regions back when nothing fits (TF_ENABLE_GPU_GARBAGE_COLLECTION)
  double fragmentation_fraction = 0;  // of the limit: largest slack kept in a chunk; 0: 128 MiB
};

}  // namespace wt::device
