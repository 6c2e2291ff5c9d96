#pragma once
// What the matrix units keep of a float32 that they multiply.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wt::emulation {

enum class Multiplies : std::uint8_t { exactly, tf32, float16, bfloat16 };

// The nearest number with so many bits behind the leading one; of two the even one.
inline float rounded_to(float value, int bits) {
  if (!std::isfinite(value)) return value;
  const int dropped = 23 - bits;
  const auto word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (dropped - 1)) - 1 + ((word >> dropped) & 1U);
  return std::bit_cast<float>((word + half) & ~((1U << dropped) - 1));
}

inline float as_float16(float value) {
  constexpr float largest = 65504, step_of_small = 0x1p-24F, least_normal = 0x1p-14F;
  if (std::abs(value) < least_normal) return std::nearbyint(value / step_of_small) * step_of_small;
  const float rounded = rounded_to(value, 10);
  return std::abs(rounded) > largest ? std::copysign(std::numeric_limits<float>::infinity(), value) : rounded;
}

inline double multiplied(float value, Multiplies how) {
  switch (how) {
    case Multiplies::exactly:
      break;
    case Multiplies::tf32:
      return static_cast<double>(rounded_to(value, 10));
    case Multiplies::float16:
      return static_cast<double>(as_float16(value));
    case Multiplies::bfloat16:
      return static_cast<double>(rounded_to(value, 7));
  }
  return static_cast<double>(value);
}
inline double multiplied(double value, Multiplies) { return value; }

}  // namespace wt::emulation
