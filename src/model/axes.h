#pragma once

#include <vector>

#include "program/operations.h"

namespace wt::model {

// Brings some axes of a tensor to the end, where they become one axis, and brings them back. Kernels that work along the
// last axis then work along any others.
class MovedAxes {
 public:
  // Axes may be negative, counted from the end. Throws InputError for an axis that x does not have, or has twice.
  MovedAxes(Symbol x, const std::vector<int>& axes);

  Symbol last() const;          // [other axes..., product of the moved axes]
  Symbol back(Symbol y) const;  // of such a tensor, to the shape of x
  Shape extents() const;        // of the moved axes, in the order of x

 private:
  Symbol x_;
  std::vector<int> moved_{};  // ascending
  std::vector<int> others_{};
};

// The axis counted from 0. Throws InputError if a tensor of this rank does not have it.
int axis_of(int axis, const TensorSpec& spec);

}  // namespace wt::model
