#pragma once
// What one unit of a recurrent cell computes in one step of one sequence, forward and backward. The CPU's
// loops and the GPU's threads share these structs: `operator()(i)` computes element i = sequence * units +
// unit. `unit<cell>(b, j, functions, computes)` is the same for unit j of sequence b where the cell and its activations
// are known when it is compiled, so that a loop over j vectorises.

#include <cstdint>

#include "kernel/attributes.h"
#include "kernel/element/cell.h"
#include "kernel/element/elementwise.h"

namespace wt::element {

// What every step of a layer shares. `gates` counts the blocks of z, and plane p of the reserve holds one
// number for each step, sequence and unit.
template <class T>
struct Steps {
  Cell cell{};
  CellActivation activation{}, gate{};
  bool reset_after = true;
  std::int64_t batch = 0, time = 0, units = 0, gates = 1, step = 0, at = 0;  // `at`: the step's place in z
  const bool* mask = nullptr;
  T* reserve = nullptr;
  const bool* kept_state = nullptr;  // [gates, batch, units]; null: all of the state
  T kept_scale = 1;
};

// A step forward: the new state and the output.
template <class T>
struct ForwardStep {
  Steps<T> s{};
  const T *z = nullptr, *product = nullptr, *bias = nullptr;
  T *h = nullptr, *c = nullptr, *y = nullptr;
};

// The slopes of one step. dh and dc are those of the state after the step, and become those of the state
// before the step but for the part that passes through the recurrent product, which the next call adds
// (`product`). `carried` holds the gradient of outputs that masked steps have repeated.
template <class T>
struct BackwardStep {
  Steps<T> s{};
  const T *dy = nullptr, *product = nullptr;  // product: null in the last step
  T *dh = nullptr, *dc = nullptr, *carried = nullptr, *dz = nullptr;
  T *slopes = nullptr, *candidate_slopes = nullptr;  // of the recurrent products, [batch, width]
};

namespace {

template <class T>
WT_HOST_DEVICE T clipped(T x) {
  return x < 0 ? T{0} : x > 1 ? T{1} : x;
}

template <class T>
WT_HOST_DEVICE T activated(CellActivation activation, T x) {
  switch (activation) {
    case CellActivation::linear:
      return x;
    case CellActivation::tanh:
      return Tanh::of(x);
    case CellActivation::sigmoid:
      return Sigmoid::of(x);
    case CellActivation::relu:
      return Relu::of(x);
    case CellActivation::hard_sigmoid:
      return clipped(x / 6 + T(0.5));
    case CellActivation::hard_sigmoid_keras2:
      return clipped(x * T(0.2) + T(0.5));
    case CellActivation::softsign:
      return x / (1 + Abs::of(x));
    case CellActivation::softplus:
      return logarithm(1 + exponential(-Abs::of(x))) + Relu::of(x);
    case CellActivation::elu:
      return x > 0 ? x : exponential(x) - 1;
    case CellActivation::exponential:
      return exponential(x);
  }
  return x;
}

// The derivative of the activation where its value is y.
template <class T>
WT_HOST_DEVICE T slope(CellActivation activation, T y) {
  switch (activation) {
    case CellActivation::linear:
      return 1;
    case CellActivation::tanh:
      return 1 - y * y;
    case CellActivation::sigmoid:
      return y * (1 - y);
    case CellActivation::relu:
      return y > 0 ? T{1} : T{0};
    case CellActivation::hard_sigmoid:
      return y > 0 && y < 1 ? T(1.0 / 6) : T{0};
    case CellActivation::hard_sigmoid_keras2:
      return y > 0 && y < 1 ? T(0.2) : T{0};
    case CellActivation::softsign:
      return (1 - Abs::of(y)) * (1 - Abs::of(y));
    case CellActivation::softplus:
      return 1 - exponential(-y);
    case CellActivation::elu:
      return y > 0 ? T{1} : y + 1;
    case CellActivation::exponential:
      return y;
  }
  return 1;
}

// The activations of a cell: whatever the layer names, or Keras' defaults.
struct NamedActivations {
  CellActivation activation{}, gate{};
  template <class T>
  WT_HOST_DEVICE T state(T x) const {
    return activated(activation, x);
  }
  template <class T>
  WT_HOST_DEVICE T gated(T x) const {
    return activated(gate, x);
  }
  template <class T>
  WT_HOST_DEVICE T state_slope(T y) const {
    return slope(activation, y);
  }
  template <class T>
  WT_HOST_DEVICE T gate_slope(T y) const {
    return slope(gate, y);
  }
};
struct TanhAndSigmoid {
  template <class T>
  WT_HOST_DEVICE T state(T x) const {
    return Tanh::of(x);
  }
  template <class T>
  WT_HOST_DEVICE T gated(T x) const {
    return Sigmoid::of(x);
  }
  template <class T>
  WT_HOST_DEVICE T state_slope(T y) const {
    return 1 - y * y;
  }
  template <class T>
  WT_HOST_DEVICE T gate_slope(T y) const {
    return y * (1 - y);
  }
};

template <class T>
WT_HOST_DEVICE T& kept(const Steps<T>& s, int plane, std::int64_t i) {
  return s.reserve[(plane * s.time + s.step) * s.batch * s.units + i];
}
// By what an element of the state is multiplied before its product for a gate.
template <class T>
WT_HOST_DEVICE T share(const Steps<T>& s, std::int64_t gate, std::int64_t i) {
  return !s.kept_state ? T{1} : s.kept_state[gate * s.batch * s.units + i] ? s.kept_scale : T{0};
}
template <class T>
WT_HOST_DEVICE bool is_computed(const Steps<T>& s, std::int64_t sequence) {
  return !s.mask || s.mask[sequence * s.time + s.at];
}

// Calls step.unit() for element i, whatever the cell and its activations.
template <class T, class Step>
WT_HOST_DEVICE void any_unit(const Steps<T>& s, const Step& step, std::int64_t i) {
  const std::int64_t b = i / s.units, j = i % s.units;
  const NamedActivations functions{s.activation, s.gate};
  const bool computes = is_computed(s, b);
  if (s.cell == Cell::lstm)
    step.template unit<Cell::lstm>(b, j, functions, computes);
  else if (s.cell == Cell::gru)
    step.template unit<Cell::gru>(b, j, functions, computes);
  else
    step.template unit<Cell::simple_rnn>(b, j, functions, computes);
}

// The planes of a reserve. The state before the step comes first.
enum Plane : int { previous = 0, value = 1 };                                 // simple_rnn
enum GruPlane : int { gru_update = 1, gru_reset, gru_candidate, gru_inner };  // inner: what the reset gates
enum LstmPlane : int { lstm_cell = 1, lstm_in, lstm_forget, lstm_candidate, lstm_out };

// gru with reset before the product: the gates, and the state times the reset gate, which is multiplied next.
template <class T>
struct ResetState {
  Steps<T> s{};
  const T *z = nullptr, *product = nullptr, *h = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t b = i / s.units, j = i % s.units;
    const T* zb = z + (b * s.time + s.at) * 3 * s.units + j;
    const T* pb = product + b * 2 * s.units + j;
    kept(s, gru_update, i) = activated(s.gate, zb[0] + pb[0]);
    const T reset = activated(s.gate, zb[s.units] + pb[s.units]);
    kept(s, gru_reset, i) = reset;
    kept(s, gru_inner, i) = reset * h[i] * share(s, 2, i);
  }
};

// The state without what a gate's product drops, [gates, batch, units]. Element i = gate * batch * units + that of the
// state.
template <class T>
struct DropState {
  Steps<T> s{};
  const T* h = nullptr;
  T* dropped = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t count = s.batch * s.units;
    dropped[i] = h[i % count] * share(s, i / count, i % count);
  }
};

// The same for one gate and the states before all steps, which the reserve holds first.
template <class T>
struct DropStates {
  Steps<T> s{};
  std::int64_t gate = 0;
  T* dropped = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    dropped[i] = s.reserve[i] * share(s, gate, i % (s.batch * s.units));
  }
};

// Between [batch, gates * units] and [gates, batch, units]. Element i is one of the second.
template <class T>
struct MoveGates {
  std::int64_t batch = 0, units = 0, gates = 1;
  const T* from = nullptr;
  T* to = nullptr;
  bool apart = false;  // to the second
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t gate = i / (batch * units), b = i / units % batch, j = i % units;
    const std::int64_t together = b * gates * units + gate * units + j;
    if (apart)
      to[i] = from[together];
    else
      to[together] = from[i];
  }
};

// The slope of the state from those of what each gate's product took of it.
template <class T>
struct GatherSlopes {
  Steps<T> s{};
  std::int64_t gates = 1;
  const T* products = nullptr;  // [gates, batch, units]
  T* slopes = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    T sum = 0;
    for (std::int64_t gate = 0; gate < gates; ++gate)
      sum += products[gate * s.batch * s.units + i] * share(s, gate, i);
    slopes[i] = sum;
  }
};

// A masked step repeats the state and the previous output, which is zero before the first step (Keras' backend.rnn).
template <class T>
struct Forward : ForwardStep<T> {
  using ForwardStep<T>::s, ForwardStep<T>::z, ForwardStep<T>::product, ForwardStep<T>::bias;
  using ForwardStep<T>::h, ForwardStep<T>::c, ForwardStep<T>::y;

  WT_HOST_DEVICE void operator()(std::int64_t i) const { any_unit(s, *this, i); }

  template <Cell cell, class Functions>
  WT_HOST_DEVICE void unit(std::int64_t b, std::int64_t j, const Functions& functions, bool computes) const {
    const std::int64_t i = b * s.units + j;
    const T* zb = z + (b * s.time + s.at) * s.gates * s.units + j;
    const T before = h[i];
    kept(s, previous, i) = before;
    T after{};
    if constexpr (cell == Cell::lstm)
      after = lstm(i, b, j, zb, functions, computes);
    else if constexpr (cell == Cell::gru)
      after = gru(i, b, j, zb, functions);
    else
      after = kept(s, value, i) = functions.state(zb[0] + product[i]);
    T* out = y + (b * s.time + s.step) * s.units + j;
    *out = computes ? after : s.step > 0 ? out[-s.units] : T{0};
    if (computes) h[i] = after;
  }

 private:
  template <class Functions>
  WT_HOST_DEVICE T gru(std::int64_t i, std::int64_t b, std::int64_t j, const T* zb,
                       const Functions& functions) const {
    const std::int64_t u = s.units;
    T update{}, added{};
    if (s.reset_after) {
      const T* pb = product + b * 3 * u + j;
      const T reset = functions.gated(zb[u] + pb[u] + bias[u + j]), inner = pb[2 * u] + bias[2 * u + j];
      update = functions.gated(zb[0] + pb[0] + bias[j]);
      added = reset * inner;
      kept(s, gru_update, i) = update;
      kept(s, gru_reset, i) = reset;
      kept(s, gru_inner, i) = inner;
    } else {  // ResetState has computed the gates
      update = kept(s, gru_update, i);
      added = product[i];
    }
    const T candidate = functions.state(zb[2 * u] + added);
    kept(s, gru_candidate, i) = candidate;
    return update * h[i] + (1 - update) * candidate;
  }
  template <class Functions>
  WT_HOST_DEVICE T lstm(std::int64_t i, std::int64_t b, std::int64_t j, const T* zb,
                        const Functions& functions, bool computes) const {
    const std::int64_t u = s.units;
    const T* pb = product + b * 4 * u + j;
    const T in = functions.gated(zb[0] + pb[0]), forget = functions.gated(zb[u] + pb[u]),
            candidate = functions.state(zb[2 * u] + pb[2 * u]), out = functions.gated(zb[3 * u] + pb[3 * u]);
    const T before = c[i], after = forget * before + in * candidate;
    kept(s, lstm_cell, i) = before;
    kept(s, lstm_in, i) = in;
    kept(s, lstm_forget, i) = forget;
    kept(s, lstm_candidate, i) = candidate;
    kept(s, lstm_out, i) = out;
    if (computes) c[i] = after;
    return out * functions.state(after);
  }
};

template <class T>
struct Backward : BackwardStep<T> {
  using BackwardStep<T>::s, BackwardStep<T>::dy, BackwardStep<T>::product, BackwardStep<T>::dh,
      BackwardStep<T>::dc;
  using BackwardStep<T>::carried, BackwardStep<T>::dz, BackwardStep<T>::slopes,
      BackwardStep<T>::candidate_slopes;

  WT_HOST_DEVICE void operator()(std::int64_t i) const { any_unit(s, *this, i); }

  template <Cell cell, class Functions>
  WT_HOST_DEVICE void unit(std::int64_t b, std::int64_t j, const Functions& functions, bool computes) const {
    const std::int64_t i = b * s.units + j;
    const T of_state = dh[i] + (product ? product[i] : T{0});
    const T of_output = carried[i] + dy[(b * s.time + s.step) * s.units + j];
    carried[i] = computes ? T{0} : of_output;
    const T d = computes ? of_state + of_output : T{0};
    T* dzb = dz + (b * s.time + s.at) * s.gates * s.units + j;
    T passed = 0;
    if constexpr (cell == Cell::lstm)
      lstm(i, b, j, d, functions, computes, dzb);
    else if constexpr (cell == Cell::gru)
      passed = gru(i, b, j, d, functions, dzb);
    else
      slopes[i] = dzb[0] = d * functions.state_slope(kept(s, value, i));
    dh[i] = computes ? passed : of_state;
  }

 private:
  template <class Functions>
  WT_HOST_DEVICE T gru(std::int64_t i, std::int64_t b, std::int64_t j, T d, const Functions& functions,
                       T* dzb) const {
    const std::int64_t u = s.units;
    const T update = kept(s, gru_update, i), candidate = kept(s, gru_candidate, i);
    const T of_update = d * (kept(s, previous, i) - candidate) * functions.gate_slope(update);
    const T of_candidate = d * (1 - update) * functions.state_slope(candidate);
    dzb[0] = of_update;
    dzb[2 * u] = of_candidate;
    if (s.reset_after) {
      const T reset = kept(s, gru_reset, i);
      T* sb = slopes + b * 3 * u + j;
      sb[0] = of_update;
      sb[u] = dzb[u] = of_candidate * kept(s, gru_inner, i) * functions.gate_slope(reset);
      sb[2 * u] = of_candidate * reset;
    } else {
      slopes[b * 2 * u + j] = of_update;
      candidate_slopes[i] = of_candidate;
    }
    return d * update;
  }
  template <class Functions>
  WT_HOST_DEVICE void lstm(std::int64_t i, std::int64_t b, std::int64_t j, T d, const Functions& functions,
                           bool computes, T* dzb) const {
    const std::int64_t u = s.units;
    const T in = kept(s, lstm_in, i), forget = kept(s, lstm_forget, i),
            candidate = kept(s, lstm_candidate, i), out = kept(s, lstm_out, i),
            before = kept(s, lstm_cell, i);
    const T shown = functions.state(forget * before + in * candidate);
    const T of_cell = computes ? dc[i] + d * out * functions.state_slope(shown) : T{0};
    T* sb = slopes + b * 4 * u + j;
    sb[0] = dzb[0] = of_cell * candidate * functions.gate_slope(in);
    sb[u] = dzb[u] = of_cell * before * functions.gate_slope(forget);
    sb[2 * u] = dzb[2 * u] = of_cell * in * functions.state_slope(candidate);
    sb[3 * u] = dzb[3 * u] = d * shown * functions.gate_slope(out);
    if (computes) dc[i] = of_cell * forget;
  }
};

// gru with reset before the product: the slope of the reset gate, from that of the product's operand. Where a
// step is masked, that is zero.
template <class T>
struct ResetSlope {
  Steps<T> s{};
  const T* product = nullptr;
  T *dh = nullptr, *dz = nullptr, *slopes = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t b = i / s.units, j = i % s.units, u = s.units;
    const T reset = kept(s, gru_reset, i);
    const T shown = product[i] * share(s, 2, i);
    const T d = shown * kept(s, previous, i) * slope(s.gate, reset);
    dz[(b * s.time + s.at) * 3 * u + u + j] = slopes[b * 2 * u + u + j] = d;
    dh[i] += shown * reset;
  }
};

// to[row, to_first + column] = from[row, from_first + column], without `from` zeros. `adds` adds instead.
template <class T>
struct CopyColumns {
  const T* from = nullptr;
  T* to = nullptr;
  std::int64_t width = 1, from_width = 1, from_first = 0, to_width = 1, to_first = 0;
  bool adds = false;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / width, column = i % width;
    T& target = to[row * to_width + to_first + column];
    const T x = from ? from[row * from_width + from_first + column] : T{0};
    target = adds ? target + x : x;
  }
};

// to[column] = the sum of the column, in the order of its rows.
template <class T>
struct SumColumns {
  const T* from = nullptr;
  T* to = nullptr;
  std::int64_t rows = 0, width = 1;
  WT_HOST_DEVICE void operator()(std::int64_t column) const {
    double sum = 0;
    for (std::int64_t row = 0; row < rows; ++row) sum += static_cast<double>(from[row * width + column]);
    to[column] = static_cast<T>(sum);
  }
};

}  // namespace
}  // namespace wt::element
