#pragma once
// One step of an optimizer on one element: Keras 2's (keras/optimizers of TensorFlow 2.11 to 2.15), in its order of
// operations, so a step rounds as TensorFlow's does. Products and sums are rounded one by one; the build must not
// contract them. In an unnamed namespace: every instruction set has its own.

#include "kernel/element/math.h"

namespace wt::element {

// What changes from step to step, in the element's type, as Keras casts it.

template <class T>
struct SgdStep {
  T learning_rate, momentum, weight_decay;
  bool has_momentum, is_nesterov;
};

template <class T>
struct AdamStep {
  T learning_rate, alpha;  // alpha: the learning rate with both bias corrections
  T one_minus_beta_1, one_minus_beta_2, epsilon, weight_decay;
};

template <class T>
struct RmsPropStep {
  T learning_rate, rho, one_minus_rho, momentum, epsilon;
  bool has_momentum, is_centered;
};

namespace {

// Without decay w stays as it is, infinities included.
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

// Kingma and Ba, 2015, in the form at the end of their section 2 ("epsilon hat").
template <bool decays, class T>
WT_HOST_DEVICE void adam(T& w, T& m, T& v, T g, const AdamStep<T>& step) {
  m = m + (g - m) * step.one_minus_beta_1;
  v = v + (g * g - v) * step.one_minus_beta_2;
  w = decayed<decays>(w, step.weight_decay, step.learning_rate) -
      m * step.alpha / (square_root(v) + step.epsilon);
}

// Tieleman and Hinton, 2012; centered: Graves, 2013.
template <bool has_momentum, bool is_centered, class T>
WT_HOST_DEVICE void rms_prop(T& w, T& square, T& velocity, T& mean, T g, const RmsPropStep<T>& step) {
  square = step.rho * square + step.one_minus_rho * (g * g);
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
