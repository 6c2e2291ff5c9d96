#pragma once
// The Philox random number generator as functions that CPU and GPU share, so that both draw the same words.
// It is counter-based: a block of four random words is a function of a 128-bit counter and a 64-bit key, so
// any part of a stream can be computed without the parts before it. base/random.h turns the words into
// distributions.

#include <cstdint>

#include "base/host_device.h"

namespace wt {

struct PhiloxWords {
  std::uint32_t word[4];
};

// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011: the
// block of four words that belongs to a counter and a key.
WT_HOST_DEVICE inline PhiloxWords philox_words(PhiloxWords counter, std::uint32_t key_0,
                                               std::uint32_t key_1) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53;
  constexpr std::uint64_t multiplier_1 = 0xCD9E8D57;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter.word[0];
    const std::uint64_t product_1 = multiplier_1 * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product_1 >> 32) ^ counter.word[1] ^ key_0,
                static_cast<std::uint32_t>(product_1),
                static_cast<std::uint32_t>(product_0 >> 32) ^ counter.word[3] ^ key_1,
                static_cast<std::uint32_t>(product_0)}};
    key_0 += 0x9E3779B9;  // golden ratio
    key_1 += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

// The counter plus `blocks`, as a sum of 128-bit numbers whose lowest word is word 0.
WT_HOST_DEVICE inline PhiloxWords philox_counter_after(PhiloxWords counter, std::uint64_t blocks) {
  const std::uint64_t low = counter.word[0] | static_cast<std::uint64_t>(counter.word[1]) << 32;
  const std::uint64_t sum = low + blocks;
  const std::uint64_t high =
      (counter.word[2] | static_cast<std::uint64_t>(counter.word[3]) << 32) + (sum < low ? 1U : 0U);
  return {{static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32),
           static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)}};
}

// Turns the seed pair of TensorFlow's stateless operations into a stream, so that nearby seeds give unrelated
// streams. Words 0 and 1 of the result are the key, and words 2 and 3 are the upper half of the first
// counter. The key constants are TensorFlow's.
WT_HOST_DEVICE inline PhiloxWords scrambled(std::uint64_t first, std::uint64_t second) {
  return philox_words({{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32),
                        static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(second >> 32)}},
                      0x3ec8f720, 0x02461e29);
}

}  // namespace wt
