#pragma once

#include <cstdint>

namespace wt {

// The elementwise operations, for whoever computes them: y = f(x), c = f(a, b), c = a ? b.
enum class Unary : std::uint8_t { negate, exp, log, sqrt, square, abs, sign, relu, sigmoid, tanh, gelu };
inline constexpr int unary_count = 11;

// From relu_gradient on for floating types only: gradients, f(dy, y) or f(dy, x), and activations of a sum, f(a + b).
enum class Binary : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  relu_gradient,
  sigmoid_gradient,
  tanh_gradient,
  gelu_gradient,
  add_relu,
  add_sigmoid,
  add_tanh,
  add_gelu
};
inline constexpr int binary_count = 14;

enum class Comparison : std::uint8_t { equal, less, greater };
inline constexpr int comparison_count = 3;

}  // namespace wt
