#include "device/idle_blocks.h"

#include <utility>

namespace wt::device {

std::optional<Block> IdleBlocks::take(Bytes size) {
  auto best = blocks_.end();
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block)
    if (block->size >= size && (best == blocks_.end() || block->size < best->size)) best = block;
  if (best == blocks_.end()) return std::nullopt;
  const Block taken = *best;
  blocks_.erase(best);
  return taken;
}

std::vector<Block> IdleBlocks::take_all() { return std::exchange(blocks_, {}); }

Bytes IdleBlocks::size() const {
  Bytes sum{};
  for (const Block& block : blocks_) sum += block.size;
  return sum;
}

}  // namespace wt::device
