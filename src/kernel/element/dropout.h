#pragma once

#include <cmath>
#include <cstdint>

#include "base/host_device.h"

namespace wt::element {

// As TensorFlow's stateless dropout: an element is kept when a uniform number, made of its word's last 23
// bits, is not below the rate.
inline constexpr std::uint32_t kept_bits = 0x7fffff;

inline std::uint32_t least_kept(double rate) {
  return static_cast<std::uint32_t>(
      std::ceil(static_cast<double>(static_cast<float>(rate)) * (kept_bits + 1)));
}

WT_HOST_DEVICE inline bool is_kept(std::uint32_t word, std::uint32_t least) {
  return (word & kept_bits) >= least;
}

}  // namespace wt::element
