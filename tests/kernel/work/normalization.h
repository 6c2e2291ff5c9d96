#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

inline Rows normalization() {
  const NormalizationAttributes usual, corrected{.corrects_variance = true};
  return {
      // a row of 3: 2 comparisons, 3 differences, 3 exp, 2 additions, 3 divisions
      {"softmax", {f32({2, 3})}, {}, 26, 48},
      {"softmax", {f64({4})}, {}, 18, 64},
      // a row of 3: 3 products, 2 additions, 3 differences, 3 products
      {"softmax_gradient", {f32({2, 3}), f32({2, 3})}, {}, 22, 72},
      {"softmax_gradient", {f64({4}), f64({4})}, {}, 15, 96},
      // 6 for each of 6 elements, 10 for each of 2 channels
      {"batch_norm", {f32({3, 2}), f32({2}), f32({2}), f32({2}), f32({2})}, usual, 56, 112},
      // 6 for each of 12 elements, 10 for each of 3 channels, and one more where the variance is corrected
      {"batch_norm", {f32({2, 2, 1, 3}), f32({3}), f32({3}), f32({3}), f32({3})}, usual, 102, 192},
      {"batch_norm", {f32({2, 2, 1, 3}), f32({3}), f32({3}), f32({3}), f32({3})}, corrected, 105, 192},
      // 8 per element, 5 per channel
      {"batch_norm_gradient", {f32({3, 2}), f32({3, 2}), f32({2}), f32({2}), f32({2})}, usual, 58, 112},
      {"batch_norm_gradient",
       {f32({2, 2, 1, 3}), f32({2, 2, 1, 3}), f32({3}), f32({3}), f32({3})},
       usual,
       111,
       204},
      // 3 per element, 3 per channel
      {"batch_norm_inference", {f32({3, 2}), f32({2}), f32({2}), f32({2}), f32({2})}, usual, 24, 80},
      {"batch_norm_inference", {f64({2, 2, 1, 3}), f64({3}), f64({3}), f64({3}), f64({3})}, usual, 45, 288},
      // 7 per element, 3 per row
      {"layer_norm", {f32({2, 3}), f32({3}), f32({3})}, usual, 48, 88},
      {"layer_norm", {f64({2, 2, 4}), f64({4}), f64({4})}, usual, 124, 384},
      // 13 per element, 2 additions less per channel
      {"layer_norm_gradient", {f32({2, 3}), f32({2, 3}), f32({3}), f32({2}), f32({2})}, usual, 72, 124},
      {"layer_norm_gradient",
       {f64({2, 2, 4}), f64({2, 2, 4}), f64({4}), f64({2, 2}), f64({2, 2})},
       usual,
       200,
       544},
  };
}

}  // namespace wt::counted
