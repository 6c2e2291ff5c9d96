#pragma once
// Seeded random numbers, bit for bit those of TensorFlow's stateless operations, so that a seeded initializer
// gives the weights that TensorFlow gives. This is the program's only source of randomness.
//
//   std::vector<float> weights(100);
//   fill_normal(weights, stream_of({42, 0}), 0, 0.05F);
//
// fills the vector with the values of tf.random.stateless_normal([100], seed=[42, 0], stddev=0.05).

#include <array>
#include <cstdint>
#include <span>

namespace wt {

// Philox4x32-10, which base/philox.h explains.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

// The stream of 32-bit words that begins at a counter: block i is philox(counter + i, key).
struct PhiloxStream {
  PhiloxCounter counter{};
  PhiloxKey key{};

  PhiloxCounter block(std::uint64_t index) const;  // four words
};

// The seed pair of TensorFlow's stateless operations. An initializer of Keras 2 with seed=s uses {s, 0}.
struct Seed {
  std::int64_t first{0};
  std::int64_t second{0};
};

// The stream that TensorFlow's stateless operations draw from for a seed pair.
PhiloxStream stream_of(Seed seed);

// The words of the stream in order, which are the values of stateless_uniform_full_int for 32-bit integers.
void fill_words(std::span<std::uint32_t> values, const PhiloxStream& stream);

// Uniform values in [low, high), with 23 random bits each.
void fill_uniform(std::span<float> values, const PhiloxStream& stream, float low = 0, float high = 1);

// Normal values, by the transform of Box and Muller (1958) on pairs of words.
void fill_normal(std::span<float> values, const PhiloxStream& stream, float mean = 0, float stddev = 1);

// Normal values within two standard deviations of the mean. Values outside are drawn again.
void fill_truncated_normal(std::span<float> values, const PhiloxStream& stream, float mean = 0,
                           float stddev = 1);

}  // namespace wt
