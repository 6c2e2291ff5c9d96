#pragma once
// What one element makes of a random word. Dropout decides as TensorFlow's stateless dropout: the last 23 bits of the word
// are a uniform number in [0, 1), and the element is kept where that number is not below the rate.

#include <cmath>
#include <cstdint>

#include "base/host_device.h"

namespace wt::element {

inline constexpr std::uint32_t kept_bits = 0x7fffff;  // of a word: its last 23

// The smallest value of these bits for which an element is kept. It is computed once per call, so that an
// element needs a comparison of integers only.
inline std::uint32_t least_kept(double rate) {
  return static_cast<std::uint32_t>(
      std::ceil(static_cast<double>(static_cast<float>(rate)) * (kept_bits + 1)));
}

WT_HOST_DEVICE inline bool is_kept(std::uint32_t word, std::uint32_t least) {
  return (word & kept_bits) >= least;
}

// The same number.
template <class T>
WT_HOST_DEVICE inline T uniform_of(std::uint32_t word) {
  return static_cast<T>(word & kept_bits) / static_cast<T>(kept_bits + 1);
}

}  // namespace wt::element
