#pragma once

#include "tensor/tensor.h"

namespace wt {

// How far `ours` is from `theirs`, relative to theirs; infinitely far where either is no finite number: NaN is
// not greater than any limit, so a plain difference would pass for a small one.
double relative_difference(double ours, double theirs);

// Largest difference over the largest number of `theirs`. Tensors that aren't float32 count things: 0.
double relative_difference(const Tensor& ours, const Tensor& theirs);

}  // namespace wt
