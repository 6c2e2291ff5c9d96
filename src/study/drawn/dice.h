#pragma once
// Draws of scenarios. The same seed gives the same draws on every machine and with every compiler.

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace wt::drawn {

class Dice {
 public:
  // Purposes draw from streams of their own.
  Dice(std::int64_t seed, std::int64_t purpose) : stream_(stream_of({seed, purpose})) {}

  // From 0 to below `count`.
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(word()) % count; }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool one_in(std::int64_t count) { return below(count) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(std::ssize(all)))];
  }

 private:
  std::uint32_t word() {
    if (at_ % 4 == 0) block_ = stream_.block(at_ / 4);
    return block_[at_++ % 4];
  }

  PhiloxStream stream_;
  PhiloxCounter block_{};
  std::uint64_t at_ = 0;
};

}  // namespace wt::drawn
