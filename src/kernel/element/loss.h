#pragma once
// The formulas of the losses for one element, shared by the CPU and the GPU. The unnamed namespace gives
// every instruction set its own copy (see element/elementwise.h).

#include "kernel/element/exponential.h"

namespace wt::element {
namespace {

template <class T>
WT_HOST_DEVICE T squared_difference(T prediction, T target) {
  return (prediction - target) * (prediction - target);
}

// max(x, 0) - x y + log(1 + e^-|x|). In this form no exponential overflows and no logarithm is taken of 0. It
// is the form of tf.nn.sigmoid_cross_entropy_with_logits.
template <class T>
WT_HOST_DEVICE T binary_cross_entropy(T logit, T label) {
  return (logit < T(0) ? T(0) : logit) - logit * label + log_of_1_plus(exponential(-size_of(logit)));
}
// The derivative of the loss by the logit.
template <class T>
WT_HOST_DEVICE T binary_cross_entropy_slope(T logit, T label) {
  return T(1) / (T(1) + exponential(-logit)) - label;
}

}  // namespace
}  // namespace wt::element
