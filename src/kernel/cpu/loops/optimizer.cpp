#include "kernel/cpu/loops/optimizer.h"

#include "kernel/cpu/loops/copies.h"

namespace wt::loops {

namespace {

using Index = std::int64_t;

// The loops take the step by value. Behind a reference it might change with every store, as far as the
// compiler can see, and would be loaded again for every element.

template <bool decays, class T>
void sgd_plain(const OptimizerRun<T>& run, const SgdStep<T> step) {
  const T *w = run.w, *g = run.g;
  T* new_w = run.new_w;
  WT_INDEPENDENT
  for (Index i = 0; i < run.count; ++i) {
    T weight = w[i];
    element::sgd<decays>(weight, g[i], step);
    new_w[i] = weight;
  }
}

template <bool decays, bool is_nesterov, class T>
void sgd_momentum(const OptimizerRun<T>& run, const SgdStep<T> step) {
  const T *w = run.w, *m = run.slots[0], *g = run.g;
  T *new_w = run.new_w, *new_m = run.new_slots[0];
  WT_INDEPENDENT
  for (Index i = 0; i < run.count; ++i) {
    T weight = w[i], velocity = m[i];
    element::sgd_momentum<decays, is_nesterov>(weight, velocity, g[i], step);
    new_w[i] = weight;
    new_m[i] = velocity;
  }
}

template <class T>
void sgd(const OptimizerRun<T>& run, const SgdStep<T>& step) {
  const bool decays = step.weight_decay != 0;
  if (!step.has_momentum) return decays ? sgd_plain<true>(run, step) : sgd_plain<false>(run, step);
  if (step.is_nesterov)
    return decays ? sgd_momentum<true, true>(run, step) : sgd_momentum<false, true>(run, step);
  return decays ? sgd_momentum<true, false>(run, step) : sgd_momentum<false, false>(run, step);
}

template <bool decays, bool has_squares, class T>
void adam_with(const OptimizerRun<T>& run, const AdamStep<T> step) {
  const T *w = run.w, *m = run.slots[0], *v = run.slots[1], *g = run.g, *squares = run.g_squared;
  T *new_w = run.new_w, *new_m = run.new_slots[0], *new_v = run.new_slots[1];
  WT_INDEPENDENT
  for (Index i = 0; i < run.count; ++i) {
    T weight = w[i], first = m[i], second = v[i];
    element::adam<decays>(weight, first, second, g[i], has_squares ? squares[i] : g[i] * g[i], step);
    new_w[i] = weight;
    new_m[i] = first;
    new_v[i] = second;
  }
}

template <class T>
void adam(const OptimizerRun<T>& run, const AdamStep<T>& step) {
  const bool decays = step.weight_decay != 0;
  if (run.g_squared != nullptr)
    return decays ? adam_with<true, true>(run, step) : adam_with<false, true>(run, step);
  return decays ? adam_with<true, false>(run, step) : adam_with<false, false>(run, step);
}

template <bool has_momentum, bool is_centered, bool has_squares, class T>
void rms_prop_with(const OptimizerRun<T>& run, const RmsPropStep<T> step) {
  const T *w = run.w, *square = run.slots[0], *velocity = run.slots[1], *mean = run.slots[2], *g = run.g;
  const T* squares = run.g_squared;
  T *new_w = run.new_w, *new_square = run.new_slots[0];
  T *new_velocity = run.new_slots[1], *new_mean = run.new_slots[2];
  WT_INDEPENDENT
  for (Index i = 0; i < run.count; ++i) {
    T weight = w[i], mean_square = square[i], change{}, mean_g{};
    if constexpr (has_momentum) change = velocity[i];
    if constexpr (is_centered) mean_g = mean[i];
    element::rms_prop<has_momentum, is_centered>(weight, mean_square, change, mean_g, g[i],
                                                 has_squares ? squares[i] : g[i] * g[i], step);
    new_w[i] = weight;
    new_square[i] = mean_square;
    if constexpr (has_momentum) new_velocity[i] = change;
    if constexpr (is_centered) new_mean[i] = mean_g;
  }
}

template <bool has_squares, class T>
void rms_prop_from(const OptimizerRun<T>& run, const RmsPropStep<T>& step) {
  if (step.has_momentum)
    return step.is_centered ? rms_prop_with<true, true, has_squares>(run, step)
                            : rms_prop_with<true, false, has_squares>(run, step);
  return step.is_centered ? rms_prop_with<false, true, has_squares>(run, step)
                          : rms_prop_with<false, false, has_squares>(run, step);
}

template <class T>
void rms_prop(const OptimizerRun<T>& run, const RmsPropStep<T>& step) {
  return run.g_squared != nullptr ? rms_prop_from<true>(run, step) : rms_prop_from<false>(run, step);
}

constexpr Optimizer optimizer{{sgd<float>, adam<float>, rms_prop<float>},
                              {sgd<double>, adam<double>, rms_prop<double>}};

}  // namespace

const Optimizer& WT_COPY(optimizer)() { return optimizer; }

}  // namespace wt::loops
