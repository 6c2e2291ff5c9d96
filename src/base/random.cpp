#include "base/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/philox.h"

namespace wt {
namespace {

PhiloxWords words_of(const PhiloxCounter& counter) {
  return {{counter[0], counter[1], counter[2], counter[3]}};
}
PhiloxCounter array_of(const PhiloxWords& words) {
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}

// TensorFlow draws truncated normals in groups of four values. A group draws again until it has four values,
// so the number of words that it needs is not known before. Each group therefore begins 256 blocks (1024
// words) behind the one before, which makes the groups independent of each other.
constexpr std::size_t group_size = 4;
constexpr std::uint64_t blocks_per_truncated_group = 256;

// A float in [0, 1): 23 bits of the word are the mantissa of a float in [1, 2), from which 1 is subtracted.
float unit_uniform(std::uint32_t word) {
  return std::bit_cast<float>((127U << 23) | (word & 0x7fffffU)) - 1.0F;
}

// Two normal values from two words. The mixture of float and double is that of TensorFlow, because it
// determines the last bit of the results.
std::pair<float, float> box_muller(std::uint32_t first, std::uint32_t second) {
  const float radius_uniform = std::max(unit_uniform(first), 1.0e-7F);
  const auto angle = static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(unit_uniform(second)));
  const float radius = std::sqrt(-2.0F * std::log(radius_uniform));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

std::array<float, group_size> normal_group(const PhiloxCounter& words) {
  const auto [a, b] = box_muller(words[0], words[1]);
  const auto [c, d] = box_muller(words[2], words[3]);
  return {a, b, c, d};
}

std::array<float, group_size> truncated_group(const PhiloxStream& stream, std::uint64_t first_block) {
  std::array<float, group_size> values{};
  std::size_t filled = 0;
  for (std::uint64_t block = first_block; filled < group_size; ++block) {
    for (float value : normal_group(stream.block(block))) {
      if (filled < group_size && std::abs(value) < 2.0F) values[filled++] = value;
    }
  }
  return values;
}

}  // namespace

PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  return array_of(philox_words(words_of(counter), key[0], key[1]));
}

PhiloxCounter PhiloxStream::block(std::uint64_t index) const {
  return array_of(philox_words(philox_counter_after(words_of(counter), index), key[0], key[1]));
}

PhiloxStream stream_of(Seed seed) {
  const PhiloxWords mixed =
      scrambled(static_cast<std::uint64_t>(seed.first), static_cast<std::uint64_t>(seed.second));
  return {{0, 0, mixed.word[2], mixed.word[3]}, {mixed.word[0], mixed.word[1]}};
}

void fill_words(std::span<std::uint32_t> values, const PhiloxStream& stream) {
  for (std::size_t i = 0; i < values.size(); i += group_size) {
    const PhiloxCounter words = stream.block(i / group_size);
    std::copy_n(words.begin(), std::min(group_size, values.size() - i),
                values.begin() + static_cast<long>(i));
  }
}

void fill_uniform(std::span<float> values, const PhiloxStream& stream, float low, float high) {
  const float range = high - low;
  for (std::size_t i = 0; i < values.size(); i += group_size) {
    const PhiloxCounter words = stream.block(i / group_size);
    for (std::size_t j = 0; j < group_size && i + j < values.size(); ++j) {
      values[i + j] = unit_uniform(words[j]) * range + low;
    }
  }
}

void fill_normal(std::span<float> values, const PhiloxStream& stream, float mean, float stddev) {
  for (std::size_t i = 0; i < values.size(); i += group_size) {
    const std::array<float, group_size> group = normal_group(stream.block(i / group_size));
    for (std::size_t j = 0; j < group_size && i + j < values.size(); ++j) {
      values[i + j] = group[j] * stddev + mean;
    }
  }
}

void fill_truncated_normal(std::span<float> values, const PhiloxStream& stream, float mean, float stddev) {
  for (std::size_t i = 0; i < values.size(); i += group_size) {
    const std::uint64_t first_block = i / group_size * blocks_per_truncated_group;
    const std::array<float, group_size> group = truncated_group(stream, first_block);
    for (std::size_t j = 0; j < group_size && i + j < values.size(); ++j) {
      values[i + j] = group[j] * stddev + mean;
    }
  }
}

}  // namespace wt
