#pragma once
// What losses do to an element. In an unnamed namespace: every instruction set has its own.

#include "kernel/element/exponential.h"

namespace wt::element {
namespace {

template <class T>
WT_HOST_DEVICE T squared_difference(T prediction, T target) {
  return (prediction - target) * (prediction - target);
}

// max(x, 0) - x y + log(1 + e^-|x|): in this form no exponential overflows and no logarithm is taken of 0.
template <class T>
WT_HOST_DEVICE T binary_cross_entropy(T logit, T label) {
  return (logit < T(0) ? T(0) : logit) - logit * label + log_of_1_plus(exponential(-size_of(logit)));
}
template <class T>
WT_HOST_DEVICE T binary_cross_entropy_slope(T logit, T label) {
  return T(1) / (T(1) + exponential(-logit)) - label;
}

}  // namespace
}  // namespace wt::element
