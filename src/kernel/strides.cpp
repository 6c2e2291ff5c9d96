#include "kernel/strides.h"

namespace wt {

Strides dense_strides(const Shape& shape) {
  Strides strides{};
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  const Strides dense = dense_strides(from);
  const int missing = to.rank() - from.rank();
  Strides strides{};
  for (int axis = 0; axis < from.rank(); ++axis) {
    const int own = axis + missing;
    if (from[axis] != 1) strides[static_cast<std::size_t>(own)] = dense[static_cast<std::size_t>(axis)];
  }
  return strides;
}

}  // namespace wt
