#pragma once

#include <cstdint>

#include "kernel/elementwise.h"
#include "tensor/half.h"

namespace wt::loops {

// A block of rows and columns in up to three operands and a result. Strides are in elements. The columns of
// the result are contiguous; an operand's column stride is 1, or 0 where one value is used for the whole row.
struct Block {
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t out_row = 0;
  std::int64_t row[3] = {};
  std::int64_t column[3] = {};
};

// The loops for one type of element, indexed by the enumerators of the operations. Null where the type lacks
// the operation. An output may be the same array as an input.
template <class T>
struct ElementwiseOf {
  void (*unary[unary_count])(const T* x, T* y, std::int64_t count);
  void (*binary[binary_count])(const T* a, const T* b, T* c, const Block& block);
  void (*comparison[comparison_count])(const T* a, const T* b, bool* c, const Block& block);
  void (*select)(const bool* condition, const T* a, const T* b, T* c, const Block& block);
};

// Conversions between float32 and 16 bits.
template <class Half>
struct Halves {
  void (*widen)(const Half* x, float* y, std::int64_t count);
  void (*round)(const float* x, Half* y, std::int64_t count);
};

struct Elementwise {
  ElementwiseOf<float> float32;
  ElementwiseOf<double> float64;
  ElementwiseOf<std::int32_t> int32;
  ElementwiseOf<std::int64_t> int64;
  Halves<Float16> float16;
  Halves<BFloat16> bfloat16;
};

const Elementwise& elementwise_baseline();
const Elementwise& elementwise_avx2();
const Elementwise& elementwise_avx512();

}  // namespace wt::loops
