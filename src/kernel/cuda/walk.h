#pragma once

#include <initializer_list>

#include "base/host_device.h"
#include "kernel/cuda/grid.h"

namespace wt::cuda {

// Maps the number of an element of a shape to the element's offset in each of several operands, which have
// strides of their own. It is plain data, so that it can be an argument of a CUDA kernel. Axes that every
// operand crosses with one stride are merged. Where nothing is broadcast, one axis is left, and no division
// is needed.
template <int operands>
struct Walk {
  int rank = 0;
  Index extents[Shape::max_rank] = {};
  Index strides[operands][Shape::max_rank] = {};

  // Adds an axis behind those before it. `stride` has an entry for each operand.
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
