#pragma once
// Freed GPU memory that is kept for the next allocation. Replicas that use a GPU in turns free and allocate
// the same blocks again and again. They get them without a call of the driver, and at the same addresses.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/quantity.h"

namespace wt::device {

// A piece of memory as the driver returned it.
struct Block {
  std::byte* data = nullptr;
  Bytes size{};
};

class IdleBlocks {
 public:
  void put(Block block) { blocks_.push_back(block); }
  // Removes and returns the block of exactly this size that was put first. A larger block is not reused, because the
  // unused rest of it could be what a plan that needs all of the memory lacks.
  std::optional<Block> take(Bytes size);
  std::vector<Block> take_all();
  Bytes size() const;  // the sum over all blocks

 private:
  std::vector<Block> blocks_{};
};

}  // namespace wt::device
