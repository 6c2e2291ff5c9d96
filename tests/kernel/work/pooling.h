#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// The first case of each kernel has 8 windows of 4 elements, the second 12 windows of 9.
inline Rows pooling() {
  WindowAttributes tiles, overlapping;
  tiles.size = tiles.strides = {2, 2};
  overlapping.size = {3, 3};
  overlapping.strides = {2, 2};
  overlapping.padding = Padding::same;
  WindowAttributes tiles_back = tiles, overlapping_back = overlapping;
  tiles_back.input = {1, 4, 4, 2};
  overlapping_back.input = {2, 5, 4, 1};
  return {
      {"max_pool", {f32({1, 4, 4, 2})}, tiles, 24, 160},
      {"max_pool", {f64({2, 5, 4, 1})}, overlapping, 96, 416},
      // 4 comparisons and an addition
      {"max_pool_gradient", {f32({1, 4, 4, 2}), f32({1, 2, 2, 2}), f32({1, 2, 2, 2})}, tiles, 40, 320},
      {"max_pool_gradient", {f64({2, 5, 4, 1}), f64({2, 3, 2, 1}), f64({2, 3, 2, 1})}, overlapping, 120, 832},
      // 3 additions and a division
      {"average_pool", {f32({1, 4, 4, 2})}, tiles, 32, 160},
      {"average_pool", {f64({2, 5, 4, 1})}, overlapping, 108, 416},
      // a division and 4 additions
      {"average_pool_gradient", {f32({1, 2, 2, 2})}, tiles_back, 40, 160},
      {"average_pool_gradient", {f64({2, 3, 2, 1})}, overlapping_back, 120, 416},
  };
}

}  // namespace wt::counted
