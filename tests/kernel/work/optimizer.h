#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

inline Rows optimizer() {
  return {
      // g lr, w +: 2 for each of 6 elements; w, g, w' of 24 bytes and lr
      {"sgd_update", {f32({2, 3}), f32({2, 3}), f32({})}, SgdAttributes{}, 12, 76},
      // two parameters, 10 elements; g lr, m mu, their sum, w +
      {"sgd_update",
       {f32({2, 3}), f32({4}), f32({2, 3}), f32({4}), f32({2, 3}), f32({4}), f32({})},
       SgdAttributes{.momentum = 0.9},
       40,
       204},
      // g lr, m mu, sum; m' mu, sum; w +
      {"sgd_update",
       {f32({5}), f32({5}), f32({5}), f32({})},
       SgdAttributes{.momentum = 0.9, .nesterov = true},
       30,
       104},
      // decay: w wd, times lr, w -
      {"sgd_update", {f32({5}), f32({5}), f32({})}, SgdAttributes{.weight_decay = 0.1}, 25, 64},
      // rows of equal ids added, times lr, w -: 3 for each of 6 numbers; 2 ids, dy and lr, and two rows of the
      // table, which are read and written
      {"sgd_update_rows", {f32({10, 3}), i64({2}), f32({2, 3}), f32({})}, {}, 18, 92},
      // more ids than rows: the whole table is read and written
      {"sgd_update_rows", {f64({2, 2}), i32({4}), f64({4, 2}), f64({})}, {}, 24, 152},

      // m: subtract, multiply, add; v: square, subtract, multiply, add; w: multiply, root, add, divide,
      // subtract
      {"adam_update", {f32({5}), f32({5}), f32({5}), i64({}), f32({5}), f32({})}, AdamAttributes{}, 60, 160},
      {"adam_update",
       {f32({2}), f32({3}), f32({2}), f32({3}), f32({2}), f32({3}), i64({}), f32({2}), f32({3}), f32({})},
       AdamAttributes{.weight_decay = 0.1},
       75,
       160},
      {"adam_update", {f64({2}), f64({2}), f64({2}), i64({}), f64({2}), f64({})}, AdamAttributes{}, 24, 136},

      // mean square: square, 2 products, sum; + epsilon, root, inverse; g lr, their product, w -
      {"rmsprop_update", {f32({5}), f32({5}), f32({5}), f32({})}, RmsPropAttributes{}, 50, 104},
      // velocity: product, sum
      {"rmsprop_update",
       {f32({5}), f32({5}), f32({5}), f32({5}), f32({})},
       RmsPropAttributes{.momentum = 0.9},
       60,
       144},
      // mean: 2 products, sum; its square, subtracted
      {"rmsprop_update",
       {f32({5}), f32({5}), f32({5}), f32({5}), f32({})},
       RmsPropAttributes{.centered = true},
       75,
       144},
  };
}

}  // namespace wt::counted
