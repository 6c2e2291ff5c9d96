#pragma once

#include <initializer_list>

#include "base/host_device.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// Several operands walked together by the elements of a shape, in order: from an element's number to its place in each
// operand. Plain data, so that it travels as a kernel's argument. Axes that every operand crosses in one stride are
// merged: where nothing is broadcast one axis is left, and no division.
template <int operands>
struct Walk {
  int rank = 0;
  Index extents[Shape::max_rank] = {};
  Index strides[operands][Shape::max_rank] = {};

  void append(Index extent, const Index (&stride)[operands]) {
    if (extent == 1) return;
    bool merges = rank > 0;
    for (int i = 0; i < operands; ++i) merges = merges && strides[i][rank - 1] == stride[i] * extent;
    if (!merges) extents[rank++] = 1;
    extents[rank - 1] *= extent;
    for (int i = 0; i < operands; ++i) strides[i][rank - 1] = stride[i];
  }

  WT_HOST_DEVICE void place(Index element, Index (&offset)[operands]) const {
    for (int i = 0; i < operands; ++i) offset[i] = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const Index at = axis > 0 ? element % extents[axis] : element;
      for (int i = 0; i < operands; ++i) offset[i] += at * strides[i][axis];
      if (axis > 0) element /= extents[axis];
    }
  }
};

template <int operands>
Walk<operands> walk_of(const Shape& shape, const Strides (&strides)[operands]) {
  Walk<operands> walk;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    Index stride[operands];
    for (int i = 0; i < operands; ++i) stride[i] = strides[i][static_cast<std::size_t>(axis)];
    walk.append(shape[axis], stride);
  }
  return walk;
}

}  // namespace wt::cuda
