#pragma once

#include <cstdint>
#include <variant>

#include "base/quantity.h"

namespace wt {

// A matrix product as it is computed: batch products of m x k by k x n.
struct ProductGeometry {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  friend bool operator==(const ProductGeometry&, const ProductGeometry&) = default;
};

// A convolution, in the forward pass's terms whichever of its three kernels it is.
struct ConvolutionGeometry {
  enum class Pass : std::uint8_t { forward, input_gradient, filter_gradient };
  Pass pass = Pass::forward;
  std::int64_t batch = 0;
  std::int64_t in_height = 0, in_width = 0, in_channels = 0;
  std::int64_t out_height = 0, out_width = 0, out_channels = 0;
  std::int64_t window_height = 0, window_width = 0;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t groups = 1;
  friend bool operator==(const ConvolutionGeometry&, const ConvolutionGeometry&) = default;
};

// What a kernel costs, from shapes alone: a cost model turns it into seconds. flops count multiplications and
// additions that the result needs; an exp or a square root counts one. bytes are every operand once, as if
// caches were perfect within a kernel and useless between two; of an embedding's table only the rows that are
// looked up.
struct Work {
  Flops flops{};
  Bytes bytes{};
  std::variant<std::monostate, ProductGeometry, ConvolutionGeometry> geometry{};
};

}  // namespace wt
