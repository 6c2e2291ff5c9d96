#pragma once
// The cost of a kernel, from which a cost model computes a time.

#include <cstdint>
#include <variant>

#include "base/quantity.h"

namespace wt {

// A matrix product as it is computed: `batch` independent products of an m x k matrix and a k x n matrix.
struct ProductGeometry {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  friend bool operator==(const ProductGeometry&, const ProductGeometry&) = default;
};

// A convolution. All three passes are described by the extents of the forward pass: `in` is x, `out` is y and
// `window` is the filter.
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

// The cost of one call, from shapes alone. From the geometry of a product or a convolution, a cost model
// estimates how well it fills the device.
struct Work {
  // Arithmetic steps that the result needs. A multiplication, an addition, an exp and a square root count one
  // each.
  Flops flops{};
  // Memory traffic: every operand once, as if caches were perfect within a kernel and empty between two
  // kernels. An embedding's table counts with the rows that are looked up.
  Bytes bytes{};
  std::variant<std::monostate, ProductGeometry, ConvolutionGeometry> geometry{};
};

}  // namespace wt
