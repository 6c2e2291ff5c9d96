#pragma once
// A variable may have one copy per replica. These functions define its value outside of a step, and the value
// of each copy after the variable has been written. The rules are those of TensorFlow's MirroredVariable and
// SyncOnReadVariable (tensorflow/python/distribute/values.py). For example, the total of a metric is an
// on_read variable with the aggregation sum: if its two copies are 3 and 4, it reads as 7, and a write of 8
// sets each copy to 4.

#include <span>

#include "model/layer.h"

namespace wt::train {

// The value of a variable with these copies. An on_read variable reads as the sum, the mean or the first of
// its copies, according to its aggregation. Every other variable reads as replica 0's copy, because its
// copies are equal, or because TensorFlow does not combine them. Requires: at least one copy.
Tensor read_copies(const model::Weight& weight, std::span<const Tensor> copies);

// The copy of replica `replica` after `value` has been assigned to the variable or restored. It is `value`,
// with two exceptions. A copy of an on_read variable with the aggregation sum is value / replicas. A random
// stream differs on each replica, so that no two replicas draw the same numbers, unless they are to draw the same.
Tensor copy_of(const model::Weight& weight, const Tensor& value, std::size_t replica, std::size_t replicas);

}  // namespace wt::train
