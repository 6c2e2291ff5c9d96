#pragma once
// What synthetic rows are drawn with.

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace wt::data {

inline constexpr std::size_t words_per_block = 4;

// What a stream is for. Streams of one seed don't meet, nor do those of an element's components.
enum class Purpose : std::int64_t { hidden, label, noise };

inline PhiloxStream stream_for(std::int64_t seed, Purpose purpose, std::size_t component = 0) {
  constexpr std::int64_t purposes = 3;
  return stream_of(
      {seed, static_cast<std::int64_t>(component) * purposes + static_cast<std::int64_t>(purpose)});
}

// Evenly below `bound`: 32 bits are enough for bounds that fit tokens and classes.
inline std::int32_t below(std::uint32_t word, std::int64_t bound) {
  return static_cast<std::int32_t>(std::uint64_t{word} * static_cast<std::uint64_t>(bound) >> 32);
}

inline float unit(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

// The words of one row: rows own stretches of whole blocks.
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
