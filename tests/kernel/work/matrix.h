#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// By convention, an element of a product with inner extent k counts k multiplications and k additions.
inline Rows matrix() {
  return {
      {"matmul", {f32({4, 5}), f32({5, 3})}, ProductAttributes{}, 120, 188},
      {"matmul", {f32({2, 3, 4}), f32({2, 5, 4})}, ProductAttributes{.transpose_b = true}, 240, 376},
      {"matmul", {f64({2, 3, 4}), f64({4, 5})}, ProductAttributes{}, 240, 592},
  };
}

}  // namespace wt::counted
