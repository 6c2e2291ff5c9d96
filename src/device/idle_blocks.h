#pragma once
// Memory that was given back and waits to be used again, so that those who take turns in it needn't ask the driver,
// and find the same addresses.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/quantity.h"

namespace wt::device {

struct Block {
  std::byte* data = nullptr;
  Bytes size{};
};

class IdleBlocks {
 public:
  void put(Block block) { blocks_.push_back(block); }
  // The smallest that is large enough; of equal ones the one that waits longest.
  std::optional<Block> take(Bytes size);
  std::vector<Block> take_all();
  Bytes size() const;

 private:
  std::vector<Block> blocks_{};
};

}  // namespace wt::device
