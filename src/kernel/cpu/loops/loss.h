#pragma once

#include <cstdint>

namespace wt::loops {

// Losses of one row of `width` numbers, which are means along the row, and their gradients.
template <class T>
struct LossOf {
  T (*mean_squared_error)(const T* prediction, const T* target, std::int64_t width);
  void (*mean_squared_error_gradient)(T dloss, const T* prediction, const T* target, T* dprediction,
                                      std::int64_t width);
  T (*binary_cross_entropy)(const T* logits, const T* labels, std::int64_t width);
  void (*binary_cross_entropy_gradient)(T dloss, const T* logits, const T* labels, T* dlogits,
                                        std::int64_t width);
};

struct Loss {
  LossOf<float> float32;
  LossOf<double> float64;
};

const Loss& loss_baseline();
const Loss& loss_avx2();
const Loss& loss_avx512();

}  // namespace wt::loops
