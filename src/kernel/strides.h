#pragma once

#include <array>
#include <cstdint>

#include "tensor/shape.h"

namespace wt {

using Strides = std::array<std::int64_t, Shape::max_rank>;  // in elements, one per axis of some shape

Strides dense_strides(const Shape& shape);
// How to walk a dense tensor of shape `from` as if it had shape `to`: 0 along axes that are repeated.
Strides broadcast_strides(const Shape& from, const Shape& to);

constexpr std::int64_t ceiling(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

}  // namespace wt
