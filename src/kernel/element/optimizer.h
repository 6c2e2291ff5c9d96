#pragma once
// One step of an optimizer on one element, shared by the CPU and the GPU. The formulas are those of Keras 2
// (keras/optimizers of TensorFlow 2.11 to 2.15) in its order of operations, so a step rounds as TensorFlow's
// does. Every product and every sum is rounded: the build must not contract them into fused multiply-adds.
// The unnamed namespace gives every instruction set its own copy (see element/elementwise.h).

#include "kernel/element/math.h"

namespace wt::element {

// The scalars of a step, cast to the element's type where Keras casts them.

template <class T>
struct SgdStep {
  T learning_rate, momentum, weight_decay;
  bool has_momentum, is_nesterov;
};

template <class T>
struct AdamStep {
  T learning_rate, alpha;  // alpha is the learning rate with both bias corrections
  T one_minus_beta_1, one_minus_beta_2, epsilon, weight_decay;
};

template <class T>
struct RmsPropStep {
  T learning_rate, rho, one_minus_rho, momentum, epsilon;
  bool has_momentum, is_centered;
};

namespace {

// Decoupled weight decay. Where there is none, w is returned as it is, since an infinite w times 0 would be
// NaN.
template <bool decays, class T>
WT_HOST_DEVICE T decayed(T w, T weight_decay, T learning_rate) {
  return decays ? w - w * weight_decay * learning_rate : w;
}

template <bool decays, class T>
WT_HOST_DEVICE void sgd(T& w, T g, const SgdStep<T>& step) {
  w = decayed<decays>(w, step.weight_decay, step.learning_rate) + -g * step.learning_rate;
}

template <bool decays, bool is_nesterov, class T>
WT_HOST_DEVICE void sgd_momentum(T& w, T& m, T g, const SgdStep<T>& step) {
  const T downhill = -g * step.learning_rate;
  m = downhill + m * step.momentum;
  const T change = is_nesterov ? downhill + m * step.momentum : m;
  w = decayed<decays>(w, step.weight_decay, step.learning_rate) + change;
}

// Adam (Kingma and Ba, 2015), in the form at the end of their section 2, with "epsilon hat". g_squared is g * g
// unless the call gives squares of its own.
template <bool decays, class T>
WT_HOST_DEVICE void adam(T& w, T& m, T& v, T g, T g_squared, const AdamStep<T>& step) {
  m = m + (g - m) * step.one_minus_beta_1;
  v = v + (g_squared - v) * step.one_minus_beta_2;
  w = decayed<decays>(w, step.weight_decay, step.learning_rate) -
      m * step.alpha / (square_root(v) + step.epsilon);
}

// RMSprop (Tieleman and Hinton, 2012). The centered variant is from Graves, 2013.
template <bool has_momentum, bool is_centered, class T>
WT_HOST_DEVICE void rms_prop(T& w, T& square, T& velocity, T& mean, T g, T g_squared,
                             const RmsPropStep<T>& step) {
  square = step.rho * square + step.one_minus_rho * g_squared;
  T variance = square;
  if constexpr (is_centered) {
    mean = step.rho * mean + step.one_minus_rho * g;
    variance = square - mean * mean;
  }
  T change = step.learning_rate * g * (1 / square_root(variance + step.epsilon));
  if constexpr (has_momentum) {
    velocity = step.momentum * velocity + change;
    change = velocity;
  }
  w = w - change;
}

}  // namespace
}  // namespace wt::element
