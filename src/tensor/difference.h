#pragma once
// How much computed numbers differ from those of a reference, for the comparison with TensorFlow.

#include "tensor/tensor.h"

namespace wt {

// |ours - theirs| / |theirs|, and 0 if both are equal. The result is infinite if one of the numbers is NaN or
// infinite. It must not be NaN: NaN compares false with every limit, so a check for a small difference would
// accept it.
double relative_difference(double ours, double theirs);

// The largest absolute difference of two elements, divided by the largest magnitude in `theirs`. It is 0 for
// tensors that aren't float32: they hold counts and seeds, which are not compared. Requires: equal types and
// shapes.
double relative_difference(const Tensor& ours, const Tensor& theirs);

}  // namespace wt
