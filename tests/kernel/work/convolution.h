#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// The first case has 8 outputs of 9 products each. The second has 16 outputs of 8 products each, in two
// groups, with padding.
inline Rows convolution() {
  WindowAttributes plain, grouped;
  plain.size = {3, 3};
  grouped.size = grouped.strides = {2, 2};
  grouped.padding = Padding::same;
  grouped.groups = 2;
  WindowAttributes plain_back = plain, grouped_back = grouped;
  plain_back.input = {1, 4, 4, 1};
  grouped_back.input = {2, 3, 3, 4};
  return {
      {"conv2d", {f32({1, 4, 4, 1}), f32({3, 3, 1, 2})}, plain, 144, 168},
      {"conv2d", {f32({2, 3, 3, 4}), f32({2, 2, 2, 2})}, grouped, 256, 416},
      {"conv2d_input_gradient", {f32({3, 3, 1, 2}), f32({1, 2, 2, 2})}, plain_back, 144, 168},
      {"conv2d_input_gradient", {f64({2, 2, 2, 2}), f64({2, 2, 2, 2})}, grouped_back, 256, 832},
      {"conv2d_filter_gradient", {f32({1, 4, 4, 1}), f32({1, 2, 2, 2})}, plain, 144, 168},
      {"conv2d_filter_gradient", {f64({2, 3, 3, 4}), f64({2, 2, 2, 2})}, grouped, 256, 832},
  };
}

}  // namespace wt::counted
