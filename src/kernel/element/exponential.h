#pragma once
// exp, tanh and erf of floats, written out so that they vectorise on the CPU and give the same bits on a GPU.
// The unnamed namespace gives every instruction set its own copy (see element/elementwise.h). Errors are in
// units in the last place, measured against double.

#include <cstdint>

#include "kernel/element/math.h"

namespace wt::element {
namespace {

[[maybe_unused]] WT_HOST_DEVICE inline std::uint32_t bits_of(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
[[maybe_unused]] WT_HOST_DEVICE inline float float_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

// Follows Cephes' expf (Moshier, 1989): x = n ln 2 + r, where ln 2 is split into two parts, and e^r is a
// polynomial of degree 7. The error is at most 1.0 units. The result overflows to infinity, underflows
// gradually and keeps NaN.
[[maybe_unused]] WT_HOST_DEVICE inline float exponential(float x) {
  x = x < -104.5f ? -104.5f : x;
  x = x > 89.0f ? 89.0f : x;
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits. A NaN stays NaN, whatever n becomes.
  constexpr float shift = 12582912.0f;
  const float shifted = x * 1.44269504088896341f + shift;
  const float n = shifted - shift;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float mantissa = p * (r * r) + r + 1.0f;
  // 2^n is applied as two factors, because 2^128 and 2^-150 are not representable as float.
  const std::uint32_t exponent = bits_of(shifted) - bits_of(shift);
  const std::uint32_t half = static_cast<std::uint32_t>(static_cast<std::int32_t>(exponent) >> 1);
  return mantissa * float_of((half + 127u) << 23) * float_of((exponent - half + 127u) << 23);
}
[[maybe_unused]] WT_HOST_DEVICE inline double exponential(double x) { return WT_MATH(exp)(x); }

// Follows Cephes' tanhf: a polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel. The error is at most 1.4
// units.
[[maybe_unused]] WT_HOST_DEVICE inline float hyperbolic_tangent(float x) {
  const float size = WT_MATH(fabsf)(x);
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = p * z * x + x;
  const float far = WT_MATH(copysignf)(1.0f - 2.0f / (exponential(size + size) + 1.0f), x);
  return size < 0.625f ? near : far;
}
[[maybe_unused]] WT_HOST_DEVICE inline double hyperbolic_tangent(double x) { return WT_MATH(tanh)(x); }

// Follows Cephes' ndtrf: for |x| < 1, x times a polynomial; above, 1 - e^(-x^2) / x times one of two
// polynomials in 1 / x^2. The error is at most 2.5 units.
[[maybe_unused]] WT_HOST_DEVICE inline float error_function(float x) {
  const float size = WT_MATH(fabsf)(x);
  const float z = x * x;
  float p = 7.853861353153693e-5f;
  p = p * z - 8.010193625184903e-4f;
  p = p * z + 5.188327685732524e-3f;
  p = p * z - 2.685381193529856e-2f;
  p = p * z + 1.128358514861418e-1f;
  p = p * z - 3.761262582423300e-1f;
  p = p * z + 1.128379165726710f;

  const float inverse = 1.0f / size;
  const float y = inverse * inverse;
  float middle = 2.326819970068386e-2f;
  middle = middle * y - 1.387039388740657e-1f;
  middle = middle * y + 3.687424674597105e-1f;
  middle = middle * y - 5.824733027278666e-1f;
  middle = middle * y + 6.210004621745983e-1f;
  middle = middle * y - 4.944515323274145e-1f;
  middle = middle * y + 3.404879937665872e-1f;
  middle = middle * y - 2.741127028184656e-1f;
  middle = middle * y + 5.638259427386472e-1f;
  float outer = -1.047766399936249e+1f;
  outer = outer * y + 1.297719955372516e+1f;
  outer = outer * y - 7.495518717768503f;
  outer = outer * y + 2.921019019210786f;
  outer = outer * y - 1.015265279202700f;
  outer = outer * y + 4.218463358204948e-1f;
  outer = outer * y - 2.820767439740514e-1f;
  outer = outer * y + 5.641895067754075e-1f;
  const float rest = exponential(-z) * inverse * (size < 2.0f ? middle : outer);
  return size < 1.0f ? x * p : WT_MATH(copysignf)(1.0f - rest, x);
}
[[maybe_unused]] WT_HOST_DEVICE inline double error_function(double x) { return WT_MATH(erf)(x); }

}  // namespace
}  // namespace wt::element
