#pragma once

#include "kernel/cuda/cut.h"
#include "kernel/cuda/walk.h"

namespace wt::cuda {

// A reduction over some axes of a tensor: the place of every term of every result.
struct ReducedAxes {
  Walk<1> kept{}, reduced{};
  Cut cut{};

  // The offset of a term in the tensor.
  WT_HOST_DEVICE Index place(Index result, Index term) const {
    Index base[1], offset[1];
    kept.place(result, base);
    reduced.place(term, offset);
    return base[0] + offset[0];
  }
};

inline ReducedAxes reduced_axes(const Shape& shape, const Shape& axes) {
  ReducedAxes result;
  const Strides dense = dense_strides(shape);
  Index results = 1, length = 1;
  bool along = true;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (is_reduced ? result.reduced : result.kept).append(shape[axis], {dense[static_cast<std::size_t>(axis)]});
    (is_reduced ? length : results) *= shape[axis];
    if (shape[axis] != 1) along = is_reduced;
  }
  result.cut = cut_of(results, length, along);
  return result;
}

}  // namespace wt::cuda
