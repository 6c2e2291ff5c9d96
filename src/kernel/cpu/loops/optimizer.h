#pragma once

#include <cstdint>

#include "kernel/element/optimizer.h"

namespace wt::loops {

// One step of an optimizer on a run of elements. An output may be the same array as the input of the same
// name.

using element::AdamStep;
using element::RmsPropStep;
using element::SgdStep;

// The addresses of a parameter w, its slots, its gradient g and the squares of g. Slots that the optimizer lacks
// are null, and so are squares that are g * g.
template <class T>
struct OptimizerRun {
  const T* w;
  const T* slots[3];
  const T* g;
  const T* g_squared;
  T* new_w;
  T* new_slots[3];
  std::int64_t count;
};

template <class T>
struct OptimizerOf {
  void (*sgd)(const OptimizerRun<T>& run, const SgdStep<T>& step);    // slots: momentum
  void (*adam)(const OptimizerRun<T>& run, const AdamStep<T>& step);  // slots: m, v
  void (*rms_prop)(const OptimizerRun<T>& run,
                   const RmsPropStep<T>& step);  // slots: mean square, momentum, mean
};

struct Optimizer {
  OptimizerOf<float> float32;
  OptimizerOf<double> float64;
};

const Optimizer& optimizer_baseline();
const Optimizer& optimizer_avx2();
const Optimizer& optimizer_avx512();

}  // namespace wt::loops
