#pragma once

#include <cstdint>

namespace wt::loops {

// Each loop works on one row of `width` numbers. An output may be the same array as an input.
template <class T>
struct SoftmaxOf {
  // Writes y = exp(x - maximum) and the maximum of x. Returns the sum of y.
  T (*exponentials)(const T* x, T* y, std::int64_t width, T* maximum);
  void (*divide)(T* y, std::int64_t width, T divisor);
  // dx = (dy - sum(dy y)) y.
  void (*gradient)(const T* dy, const T* y, T* dx, std::int64_t width);
  // Returns the loss, and replaces backprop by softmax - labels. Requires: `exponentials` of the logits has
  // written backprop, maximum and sum.
  T (*cross_entropy)(const T* logits, const T* labels, T* backprop, std::int64_t width, T maximum, T sum);
};

struct Softmax {
  SoftmaxOf<float> float32;
  SoftmaxOf<double> float64;
};

const Softmax& softmax_baseline();
const Softmax& softmax_avx2();
const Softmax& softmax_avx512();

}  // namespace wt::loops
