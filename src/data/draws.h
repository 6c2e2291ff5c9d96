#pragma once
// Random numbers of synthetic rows. Each row has its own range of a random stream, so that it can be computed
// without the rows before it.

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace wt::data {

inline constexpr std::size_t words_per_block = 4;

// The purpose of a random stream. Streams of the same seed for different purposes or different
// components of an element are different.
enum class Purpose : std::int64_t { hidden, label, noise };

inline PhiloxStream stream_for(std::int64_t seed, Purpose purpose, std::size_t component = 0) {
  constexpr std::int64_t purposes = 3;
  return stream_of(
      {seed, static_cast<std::int64_t>(component) * purposes + static_cast<std::int64_t>(purpose)});
}

// Maps a random word to a uniform integer in [0, bound). The bias is at most bound / 2^32, which is
// negligible for numbers of classes and tokens.
inline std::int32_t below(std::uint32_t word, std::int64_t bound) {
  return static_cast<std::int32_t>(std::uint64_t{word} * static_cast<std::uint64_t>(bound) >> 32);
}

// Maps a random word to a uniform number in [0, 1).
inline float unit(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

// Draws the words of one row. The rows of a stream have the same number of words, and each begins at a new
// block.
inline void fill_row_words(std::span<std::uint32_t> words, const PhiloxStream& stream, std::int64_t row) {
  const std::size_t blocks = (words.size() + words_per_block - 1) / words_per_block;
  const std::uint64_t first = static_cast<std::uint64_t>(row) * blocks;
  for (std::size_t block = 0; block < blocks; ++block) {
    const PhiloxCounter drawn = stream.block(first + block);
    const std::size_t at = block * words_per_block;
    std::copy_n(drawn.begin(), std::min(words_per_block, words.size() - at), words.data() + at);
  }
}

}  // namespace wt::data
