#pragma once
// Seeded random numbers, bit for bit those of TensorFlow's stateless operations on CPU and GPU, so that
// seeded initialisers give TensorFlow's values. The only source of randomness in the program.

#include <array>
#include <cstdint>
#include <span>

namespace wt {

// Philox4x32-10, see base/philox.h.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

// The stream of 32-bit words that begins at a counter: block i is philox(counter + i, key).
struct PhiloxStream {
  PhiloxCounter counter{};
  PhiloxKey key{};

  PhiloxCounter block(std::uint64_t index) const;
};

// TensorFlow's seed pair of the stateless operations. Keras 2 initialisers with seed=s use {s, 0}.
struct Seed {
  std::int64_t first{0};
  std::int64_t second{0};
};

PhiloxStream stream_of(Seed seed);

// Raw words in order, as stateless_uniform_full_int gives for 32-bit integers.
void fill_words(std::span<std::uint32_t> values, const PhiloxStream& stream);

// In [low, high), 23 random bits each.
void fill_uniform(std::span<float> values, const PhiloxStream& stream, float low = 0, float high = 1);

// Box and Muller, 1958, on pairs of words.
void fill_normal(std::span<float> values, const PhiloxStream& stream, float mean = 0, float stddev = 1);

// Standard normals beyond 2 are drawn again before scaling.
void fill_truncated_normal(std::span<float> values, const PhiloxStream& stream, float mean = 0,
                           float stddev = 1);

}  // namespace wt
