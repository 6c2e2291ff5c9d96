#pragma once

#include <array>
#include <cstdint>

#include "tensor/shape.h"

namespace wt {

// The distance between neighbours along each axis of some shape, in elements.
using Strides = std::array<std::int64_t, Shape::max_rank>;

// The strides of a contiguous row-major tensor.
Strides dense_strides(const Shape& shape);
// The strides by which a contiguous tensor of shape `from` is read as if it had shape `to`. They are 0 along
// axes that are repeated.
Strides broadcast_strides(const Shape& from, const Shape& to);

// count / size, rounded up.
constexpr std::int64_t ceiling(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

}  // namespace wt
