#pragma once

#include <cstdint>

namespace wt::loops {

// How elements of type T are reduced in an accumulator of type A. Floats are summed in double: converting
// them costs nothing beside fetching them, a sum of a million floats is nearly always correct to the last
// bit, and it hardly depends on how the batch was cut. Integers are summed in int64. If an element is NaN,
// the maximum is NaN.
template <class T, class A>
struct Reducer {
  A start;  // the neutral element
  A (*of_row)(const T* x, std::int64_t count);
  // Combines all[j] with x[row][j] of each row, in the order of the rows.
  void (*of_rows)(const T* x, std::int64_t rows, std::int64_t row_stride, std::int64_t columns, A* all);
  A (*combine)(A left, A right);
};

template <class T, class A>
struct ReductionOf {
  Reducer<T, A> sum;
  Reducer<T, T> maximum;
  // The index of the first maximum. A NaN never counts as larger.
  std::int64_t (*argmax)(const T* x, std::int64_t count);
};

struct Reduction {
  ReductionOf<float, double> float32;
  ReductionOf<double, double> float64;
  ReductionOf<std::int32_t, std::int64_t> int32;
  ReductionOf<std::int64_t, std::int64_t> int64;
};

const Reduction& reduction_baseline();
const Reduction& reduction_avx2();
const Reduction& reduction_avx512();

}  // namespace wt::loops
