#include "device/idle_blocks.h"

#include <algorithm>
#include <utility>

namespace wt::device {

std::optional<Block> IdleBlocks::take(Bytes size) {
  const auto found = std::ranges::find(blocks_, size, &Block::size);
  if (found == blocks_.end()) return std::nullopt;
  const Block taken = *found;
  blocks_.erase(found);
  return taken;
}

std::vector<Block> IdleBlocks::take_all() { return std::exchange(blocks_, {}); }

Bytes IdleBlocks::size() const {
  Bytes sum{};
  for (const Block& block : blocks_) sum += block.size;
  return sum;
}

}  // namespace wt::device
