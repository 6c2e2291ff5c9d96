#pragma once

#include <cstdint>

namespace wt {

// The elementwise operations, by which the CPU's loops and the GPU's kernels are looked up. Both hold a table
// in the order of these enumerators.

// y = f(x).
enum class Unary : std::uint8_t {
  negate,
  exp,
  log,
  sqrt,
  square,
  abs,
  sign,
  relu,
  relu6,
  sigmoid,
  tanh,
  gelu
};
inline constexpr int unary_count = 12;

// c = f(a, b). From relu_gradient on, for floating types only: the gradients f(dy, y) or, for gelu, f(dy, x),
// and the activations of a sum, f(a + b).
enum class Binary : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  relu_gradient,
  relu6_gradient,
  sigmoid_gradient,
  tanh_gradient,
  gelu_gradient,
  add_relu,
  add_sigmoid,
  add_tanh,
  add_gelu
};
inline constexpr int binary_count = 15;

// c = whether a stands in this relation to b.
enum class Comparison : std::uint8_t { equal, less, greater };
inline constexpr int comparison_count = 3;

}  // namespace wt
