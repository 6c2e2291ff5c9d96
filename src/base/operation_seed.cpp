#include "base/operation_seed.h"

#include <algorithm>
#include <vector>

namespace wt {
namespace {

// Python's seed is the list of the number's 32-bit words, lowest first.
std::vector<std::uint32_t> words_of(std::uint64_t seed) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(seed)};
  if (seed >> 32 != 0) words.push_back(static_cast<std::uint32_t>(seed >> 32));
  return words;
}

std::uint32_t mixed(std::uint32_t before) { return before ^ before >> 30; }

}  // namespace

// init_by_array of Matsumoto and Nishimura, "Mersenne Twister", 2002, which Python's random uses.
OperationSeeds::OperationSeeds(std::uint64_t global_seed) {
  const std::size_t n = state_.size();
  state_[0] = 19650218;
  for (std::size_t i = 1; i < n; ++i)
    state_[i] = 1812433253U * mixed(state_[i - 1]) + static_cast<std::uint32_t>(i);
  const std::vector<std::uint32_t> key = words_of(global_seed);
  std::size_t at = 1, from = 0;
  const auto advance = [&] {
    if (++at < n) return;
    state_[0] = state_[n - 1];
    at = 1;
  };
  for (std::size_t k = 0; k < std::max(n, key.size()); ++k) {
    state_[at] =
        (state_[at] ^ mixed(state_[at - 1]) * 1664525U) + key[from] + static_cast<std::uint32_t>(from);
    advance();
    from = (from + 1) % key.size();
  }
  for (std::size_t k = 0; k < n - 1; ++k) {
    state_[at] = (state_[at] ^ mixed(state_[at - 1]) * 1566083941U) - static_cast<std::uint32_t>(at);
    advance();
  }
  state_[0] = 0x80000000U;
}

std::uint32_t OperationSeeds::word() {
  const std::size_t n = state_.size(), m = 397;
  if (used_ == n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t both = (state_[i] & 0x80000000U) | (state_[(i + 1) % n] & 0x7fffffffU);
      state_[i] = state_[(i + m) % n] ^ both >> 1 ^ ((both & 1U) != 0 ? 0x9908b0dfU : 0U);
    }
    used_ = 0;
  }
  std::uint32_t word = state_[used_++];
  word ^= word >> 11;
  word ^= word << 7 & 0x9d2c5680U;
  word ^= word << 15 & 0xefc60000U;
  return word ^ word >> 18;
}

// randint(0, 2^31 - 1) draws 32 bits until they are below 2^31.
std::int64_t OperationSeeds::next() {
  std::uint32_t drawn = word();
  while (drawn >= 0x80000000U) drawn = word();
  return drawn;
}

}  // namespace wt
