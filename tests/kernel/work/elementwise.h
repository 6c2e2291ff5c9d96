#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

inline Rows elementwise() {
  return {
      {"negate", {f32({2, 3})}, {}, 6, 48},
      {"negate", {f64({5})}, {}, 5, 80},
      {"exp", {f32({2, 3})}, {}, 6, 48},
      {"exp", {f32({})}, {}, 1, 8},
      {"log", {f32({2, 3})}, {}, 6, 48},
      {"log", {f64({5})}, {}, 5, 80},
      {"sqrt", {f32({2, 3})}, {}, 6, 48},
      {"sqrt", {f64({5})}, {}, 5, 80},
      {"square", {f32({2, 3})}, {}, 6, 48},
      {"square", {f64({5})}, {}, 5, 80},
      {"abs", {f32({2, 3})}, {}, 6, 48},
      {"abs", {f64({5})}, {}, 5, 80},
      {"sign", {f32({2, 3})}, {}, 6, 48},
      {"sign", {f64({5})}, {}, 5, 80},
      {"relu", {f32({2, 3})}, {}, 6, 48},
      {"relu", {f32({10, 10})}, {}, 100, 800},
      // two comparisons
      {"relu6", {f32({2, 3})}, {}, 12, 48},
      {"relu6", {f64({5})}, {}, 10, 80},
      // negate, exp, add, divide
      {"sigmoid", {f32({2, 3})}, {}, 24, 48},
      {"sigmoid", {f64({5})}, {}, 20, 80},
      // double, exp, add, divide, subtract
      {"tanh", {f32({2, 3})}, {}, 30, 48},
      {"tanh", {f64({5})}, {}, 25, 80},
      // scale, erf, add, halve, multiply
      {"gelu", {f32({2, 3})}, {}, 30, 48},
      {"gelu", {f64({5})}, {}, 25, 80},

      {"relu_gradient", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"relu_gradient", {f64({5}), f64({5})}, {}, 5, 120},
      {"relu6_gradient", {f32({2, 3}), f32({2, 3})}, {}, 12, 72},
      {"relu6_gradient", {f64({5}), f64({5})}, {}, 10, 120},
      {"sigmoid_gradient", {f32({2, 3}), f32({2, 3})}, {}, 18, 72},
      {"sigmoid_gradient", {f64({5}), f64({5})}, {}, 15, 120},
      {"tanh_gradient", {f32({2, 3}), f32({2, 3})}, {}, 18, 72},
      {"tanh_gradient", {f64({5}), f64({5})}, {}, 15, 120},
      // Phi: scale, erf, add, halve; phi: square, halve, exp, scale; x phi, their sum, dy times it
      {"gelu_gradient", {f32({2, 3}), f32({2, 3})}, {}, 66, 72},
      {"gelu_gradient", {f64({5}), f64({5})}, {}, 55, 120},

      {"add", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"add", {f32({4, 1}), f32({3})}, {}, 12, 76},
      {"subtract", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"subtract", {i64({2, 3}), i64({})}, {}, 6, 104},
      {"multiply", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"multiply", {f64({4, 1}), f64({3})}, {}, 12, 152},
      {"divide", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"divide", {f32({}), f32({10})}, {}, 10, 84},
      {"maximum", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"maximum", {i32({2, 3}), i32({3})}, {}, 6, 60},
      {"minimum", {f32({2, 3}), f32({2, 3})}, {}, 6, 72},
      {"minimum", {i32({2, 3}), i32({3})}, {}, 6, 60},

      {"equal", {f32({2, 3}), f32({2, 3})}, {}, 6, 54},
      {"equal", {i64({8}), i64({})}, {}, 8, 80},
      {"less", {f32({2, 3}), f32({2, 3})}, {}, 6, 54},
      {"less", {i64({8}), i64({})}, {}, 8, 80},
      {"greater", {f32({2, 3}), f32({2, 3})}, {}, 6, 54},
      {"greater", {i64({8}), i64({})}, {}, 8, 80},
      {"select", {boolean({2, 3}), f32({2, 3}), f32({2, 3})}, {}, 0, 78},
      {"select", {boolean({3}), f32({2, 1}), f32({})}, {}, 0, 39},

      {"bias_add", {f32({2, 3}), f32({3})}, {}, 6, 60},
      {"bias_add", {f32({2, 4, 4, 5}), f32({5})}, {}, 160, 1300},
      // one more than the activation's
      {"bias_add_relu", {f32({2, 3}), f32({3})}, {}, 12, 60},
      {"bias_add_relu", {f64({4, 5}), f64({5})}, {}, 40, 360},
      {"bias_add_sigmoid", {f32({2, 3}), f32({3})}, {}, 30, 60},
      {"bias_add_sigmoid", {f64({4, 5}), f64({5})}, {}, 100, 360},
      {"bias_add_tanh", {f32({2, 3}), f32({3})}, {}, 36, 60},
      {"bias_add_tanh", {f64({4, 5}), f64({5})}, {}, 120, 360},
      {"bias_add_gelu", {f32({2, 3}), f32({3})}, {}, 36, 60},
      {"bias_add_gelu", {f64({4, 5}), f64({5})}, {}, 120, 360},
      {"cast", {f32({2, 3})}, CastAttributes{Type::boolean}, 0, 30},
      {"cast", {i32({10})}, CastAttributes{Type::int64}, 0, 120},
      {"fill", {}, FillAttributes{f32({2, 3}), 1}, 0, 24},
      {"fill", {}, FillAttributes{i64({}), 1}, 0, 8},
      {"range", {}, FillAttributes{f32({6}), 2}, 6, 24},
      {"range", {}, FillAttributes{i64({3}), 2}, 3, 24},
  };
}

}  // namespace wt::counted
