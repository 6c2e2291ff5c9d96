#pragma once

#include <cstdint>

namespace wt::loops {

// The loops work on contiguous rows of `width` channels. An output may be the same array as an input.
template <class T>
struct NormalizationOf {
  // For each channel, over some rows: the mean and the sum of squared distances to it. Requires: rows > 0.
  void (*moments)(const T* x, std::int64_t rows, std::int64_t width, T* mean, T* squares);
  // y = (x - mean) scale + shift.
  void (*apply)(const T* x, T* y, std::int64_t rows, std::int64_t width, const T* mean, const T* scale,
                const T* shift);
  // For each channel, over some rows: the sums of dy and of dy (x - mean).
  void (*gradient_sums)(const T* dy, const T* x, std::int64_t rows, std::int64_t width, const T* mean, T* sum,
                        T* centered);
  // dx = dy by_dy + (x - mean) by_x + shift.
  void (*gradient)(const T* dy, const T* x, T* dx, std::int64_t rows, std::int64_t width, const T* mean,
                   const T* by_dy, const T* by_x, const T* shift);

  // The mean of one row and the mean of squared distances to it.
  void (*row_moments)(const T* x, std::int64_t width, T* mean, T* variance);
  void (*apply_to_row)(const T* x, T* y, std::int64_t width, T mean, T inverse_deviation, const T* gamma,
                       const T* beta);
  // Computes dx of one row and adds the row's terms to dgamma and dbeta. Requires: no two arrays overlap.
  void (*row_gradient)(const T* dy, const T* x, T* dx, std::int64_t width, T mean, T inverse_deviation,
                       const T* gamma, T* dgamma, T* dbeta);
};

struct Normalization {
  NormalizationOf<float> float32;
  NormalizationOf<double> float64;
};

const Normalization& normalization_baseline();
const Normalization& normalization_avx2();
const Normalization& normalization_avx512();

}  // namespace wt::loops
