#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// The forward kernel counts a comparison and a product per element. The mask has one byte per element, the
// seed 16 bytes in all. A uniform number is multiplied by the value.
inline Rows random() {
  return {
      {"dropout", {f32({2, 3}), i64({2})}, DropoutAttributes{}, 12, 70},
      {"dropout", {f64({5}), i64({2})}, DropoutAttributes{}, 10, 101},
      {"dropout_gradient", {f32({2, 3}), boolean({2, 3})}, DropoutAttributes{}, 6, 54},
      {"dropout_gradient", {f64({5}), boolean({5})}, DropoutAttributes{}, 5, 85},
      {"uniform", {i64({2})}, FillAttributes{f32({2, 3}), 2}, 6, 40},
      {"uniform", {i64({2})}, FillAttributes{f64({5}), 2}, 5, 56},
  };
}

}  // namespace wt::counted
