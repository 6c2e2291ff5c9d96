#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// A share takes the distance, its weight and its part of the sum.
inline Rows resize() {
  return {
      {"resize_shares", {}, ResizeAttributes{ResizeMethod::bicubic, 2, 3, false}, 18, 24},
      {"resize_shares", {}, ResizeAttributes{ResizeMethod::nearest, 4, 1, true}, 12, 16},
  };
}

}  // namespace wt::counted
