#pragma once
// Floating-point numbers of 16 bits. They are stored and converted, and never added: kernels compute with float32 and
// round the result, as TensorFlow's kernels for them do.

#include <cstdint>

#include "base/host_device.h"

namespace wt {

// IEEE 754's binary16: 5 bits of exponent, 10 of fraction. The largest number is 65504.
struct Float16 {
  std::uint16_t bits = 0;
};

// The upper half of a float32: 8 bits of exponent, 7 of fraction.
struct BFloat16 {
  std::uint16_t bits = 0;
};

namespace half {

inline constexpr std::uint32_t sign = 0x80000000U;
inline constexpr std::uint32_t infinity = 0x7f800000U;        // of a float32; a NaN is above it
inline constexpr std::uint32_t rebias = (127U - 15U) << 23U;  // between the exponents of float32 and binary16
inline constexpr std::uint32_t beyond = (127U + 16U) << 23U;  // 65536, which is infinite in binary16
inline constexpr std::uint32_t smallest = (127U - 14U)
                                          << 23U;      // 2^-14, the smallest normal number of binary16
inline constexpr float step_of_subnormals = 0x1p-24F;  // the distance between numbers below it

// The builtin works on a GPU as well, where std::bit_cast needs an option of the compiler.
WT_HOST_DEVICE inline std::uint32_t bits_of(float number) {
  return __builtin_bit_cast(std::uint32_t, number);
}
WT_HOST_DEVICE inline float number_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

}  // namespace half

WT_HOST_DEVICE inline float widened(Float16 number) {
  const std::uint32_t magnitude = number.bits & 0x7fffU;
  const std::uint32_t of_sign = static_cast<std::uint32_t>(number.bits & 0x8000U) << 16U;
  const std::uint32_t shifted = (magnitude << 13U) + half::rebias;
  const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * half::step_of_subnormals;
  const std::uint32_t finite = magnitude < 0x0400U ? half::bits_of(subnormal) : shifted;
  return half::number_of(of_sign | (magnitude < 0x7c00U ? finite : shifted + half::rebias));
}

WT_HOST_DEVICE inline float widened(BFloat16 number) {
  return half::number_of(static_cast<std::uint32_t>(number.bits) << 16U);
}

// To the nearest number, and of two equally near ones to that whose last bit is 0. What is beyond the range becomes
// infinite.
template <class Half>
WT_HOST_DEVICE Half rounded(float number);

template <>
WT_HOST_DEVICE inline Float16 rounded<Float16>(float number) {
  const auto bits = half::bits_of(number);
  const std::uint32_t magnitude = bits & ~half::sign;
  // 0.5 has the last bit where subnormal numbers have theirs, so the processor's own addition rounds them.
  const std::uint32_t subnormal = half::bits_of(half::number_of(magnitude) + 0.5F) - half::bits_of(0.5F);
  const std::uint32_t normal = (magnitude + 0x0fffU + ((magnitude >> 13U) & 1U) - half::rebias) >> 13U;
  const std::uint32_t finite = magnitude < half::smallest ? subnormal : normal;
  const std::uint32_t infinite = magnitude > half::infinity ? 0x7e00U : 0x7c00U;
  const std::uint32_t result = magnitude < half::beyond ? finite : infinite;
  return {static_cast<std::uint16_t>((bits & half::sign) >> 16U | result)};
}

template <>
WT_HOST_DEVICE inline BFloat16 rounded<BFloat16>(float number) {
  const auto bits = half::bits_of(number);
  const std::uint32_t nearest = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  const bool is_nan = (bits & ~half::sign) > half::infinity;
  return {static_cast<std::uint16_t>(is_nan ? bits >> 16U | 0x40U : nearest)};
}

}  // namespace wt
