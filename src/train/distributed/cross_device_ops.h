#pragma once
// How the values of replicas are added up: tf.distribute.CrossDeviceOps in numbers. The orders of the sums are those of
// tensorflow/python/distribute/cross_device_ops.py, which show in their last digits.

#include <span>

#include "train/strategy.h"

namespace wt::train {

// These write nothing to a step that is recorded: their callers know which replica has which value.

// The sum or the mean of tensors, or of slices, which are put one behind the other. TensorFlow's hierarchical copy adds
// the replicas in two halves and drops the last one of an odd number; `strategy.traits().cross_device_ops` says whether
// `all_reduce` and gradients are added so, and reductions to one device never are.
Addend reduced_to_one_device(ReduceOp op, std::span<const Addend> values);
Addend reduced_hierarchically(ReduceOp op, std::span<const Addend> values);

// TensorFlow adds integers of 32 bits on the host, and everything else on the devices. Throws device::ValueError if one
// call of a mirrored strategy has both.
void require_one_place(const Strategy& strategy, std::span<const Addend> values);

}  // namespace wt::train
