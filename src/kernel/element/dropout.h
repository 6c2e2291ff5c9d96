#pragma once
// Dropout's decision for one element, as in TensorFlow's stateless dropout. The last 23 bits of a random word
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

}  // namespace wt::element
