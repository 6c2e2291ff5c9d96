#pragma once
// What one unit of a recurrent cell computes in one step of one sequence, forward and backward. The CPU's
// loops and the GPU's threads share these structs: `operator()(i)` computes element i = sequence * units +
// unit.

#include <cstdint>

#include "kernel/attributes.h"
#include "kernel/element/cell.h"
#include "kernel/element/elementwise.h"

namespace wt::element {
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

  WT_HOST_DEVICE T& kept(int plane, std::int64_t i) const {
    return reserve[(plane * time + step) * batch * units + i];
  }
  // By what an element of the state is multiplied before its product for a gate.
  WT_HOST_DEVICE T share(std::int64_t block, std::int64_t i) const {
    return !kept_state ? T{1} : kept_state[block * batch * units + i] ? kept_scale : T{0};
  }
  WT_HOST_DEVICE bool computes(std::int64_t sequence) const { return !mask || mask[sequence * time + at]; }
};

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
    s.kept(gru_update, i) = activated(s.gate, zb[0] + pb[0]);
    const T reset = activated(s.gate, zb[s.units] + pb[s.units]);
    s.kept(gru_reset, i) = reset;
    s.kept(gru_inner, i) = reset * h[i] * s.share(2, i);
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
    dropped[i] = h[i % count] * s.share(i / count, i % count);
  }
};

// The same for one gate and the states before all steps, which the reserve holds first.
template <class T>
struct DropStates {
  Steps<T> s{};
  std::int64_t gate = 0;
  T* dropped = nullptr;
  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    dropped[i] = s.reserve[i] * s.share(gate, i % (s.batch * s.units));
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
      sum += products[gate * s.batch * s.units + i] * s.share(gate, i);
    slopes[i] = sum;
  }
};

// The new state and the output. A masked step repeats the state and the previous output, which is zero before
// the first step (Keras' backend.rnn).
template <class T>
struct ForwardStep {
  Steps<T> s{};
  const T *z = nullptr, *product = nullptr, *bias = nullptr;
  T *h = nullptr, *c = nullptr, *y = nullptr;

  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t b = i / s.units, j = i % s.units;
    const T* zb = z + (b * s.time + s.at) * s.gates * s.units + j;
    const bool computes = s.computes(b);
    const T before = h[i];
    s.kept(previous, i) = before;
    const T after = s.cell == Cell::lstm  ? lstm(i, b, j, zb, computes)
                    : s.cell == Cell::gru ? gru(i, b, j, zb)
                                          : simple(i, zb);
    T* out = y + (b * s.time + s.step) * s.units + j;
    *out = computes ? after : s.step > 0 ? out[-s.units] : T{0};
    if (computes) h[i] = after;
  }

 private:
  WT_HOST_DEVICE T simple(std::int64_t i, const T* zb) const {
    return s.kept(value, i) = activated(s.activation, zb[0] + product[i]);
  }
  WT_HOST_DEVICE T gru(std::int64_t i, std::int64_t b, std::int64_t j, const T* zb) const {
    const std::int64_t u = s.units;
    T added = product[i];
    if (s.reset_after) {
      const T* pb = product + b * 3 * u + j;
      s.kept(gru_update, i) = activated(s.gate, zb[0] + pb[0] + bias[j]);
      s.kept(gru_reset, i) = activated(s.gate, zb[u] + pb[u] + bias[u + j]);
      s.kept(gru_inner, i) = pb[2 * u] + bias[2 * u + j];
      added = s.kept(gru_reset, i) * s.kept(gru_inner, i);
    }
    const T candidate = activated(s.activation, zb[2 * u] + added);
    s.kept(gru_candidate, i) = candidate;
    const T update = s.kept(gru_update, i);
    return update * h[i] + (1 - update) * candidate;
  }
  WT_HOST_DEVICE T lstm(std::int64_t i, std::int64_t b, std::int64_t j, const T* zb, bool computes) const {
    const std::int64_t u = s.units;
    const T* pb = product + b * 4 * u + j;
    const T in = activated(s.gate, zb[0] + pb[0]), forget = activated(s.gate, zb[u] + pb[u]),
            candidate = activated(s.activation, zb[2 * u] + pb[2 * u]),
            out = activated(s.gate, zb[3 * u] + pb[3 * u]);
    const T before = c[i], after = forget * before + in * candidate;
    s.kept(lstm_cell, i) = before;
    s.kept(lstm_in, i) = in;
    s.kept(lstm_forget, i) = forget;
    s.kept(lstm_candidate, i) = candidate;
    s.kept(lstm_out, i) = out;
    if (computes) c[i] = after;
    return out * activated(s.activation, after);
  }
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

  WT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t b = i / s.units, j = i % s.units;
    const T of_state = dh[i] + (product ? product[i] : T{0});
    const T of_output = carried[i] + dy[(b * s.time + s.step) * s.units + j];
    const bool computes = s.computes(b);
    carried[i] = computes ? T{0} : of_output;
    const T d = computes ? of_state + of_output : T{0};
    T* dzb = dz + (b * s.time + s.at) * s.gates * s.units + j;
    T passed = 0;
    if (s.cell == Cell::lstm)
      lstm(i, b, j, d, computes, dzb);
    else if (s.cell == Cell::gru)
      passed = gru(i, b, j, d, dzb);
    else
      slopes[i] = dzb[0] = d * slope(s.activation, s.kept(value, i));
    dh[i] = computes ? passed : of_state;
  }

 private:
  WT_HOST_DEVICE T gru(std::int64_t i, std::int64_t b, std::int64_t j, T d, T* dzb) const {
    const std::int64_t u = s.units;
    const T update = s.kept(gru_update, i), candidate = s.kept(gru_candidate, i);
    const T of_update = d * (s.kept(previous, i) - candidate) * slope(s.gate, update);
    const T of_candidate = d * (1 - update) * slope(s.activation, candidate);
    dzb[0] = of_update;
    dzb[2 * u] = of_candidate;
    if (s.reset_after) {
      const T reset = s.kept(gru_reset, i);
      T* sb = slopes + b * 3 * u + j;
      sb[0] = of_update;
      sb[u] = dzb[u] = of_candidate * s.kept(gru_inner, i) * slope(s.gate, reset);
      sb[2 * u] = of_candidate * reset;
    } else {
      slopes[b * 2 * u + j] = of_update;
      candidate_slopes[i] = of_candidate;
    }
    return d * update;
  }
  WT_HOST_DEVICE void lstm(std::int64_t i, std::int64_t b, std::int64_t j, T d, bool computes, T* dzb) const {
    const std::int64_t u = s.units;
    const T in = s.kept(lstm_in, i), forget = s.kept(lstm_forget, i), candidate = s.kept(lstm_candidate, i),
            out = s.kept(lstm_out, i), before = s.kept(lstm_cell, i);
    const T shown = activated(s.activation, forget * before + in * candidate);
    const T of_cell = computes ? dc[i] + d * out * slope(s.activation, shown) : T{0};
    T* sb = slopes + b * 4 * u + j;
    sb[0] = dzb[0] = of_cell * candidate * slope(s.gate, in);
    sb[u] = dzb[u] = of_cell * before * slope(s.gate, forget);
    sb[2 * u] = dzb[2 * u] = of_cell * in * slope(s.activation, candidate);
    sb[3 * u] = dzb[3 * u] = d * shown * slope(s.gate, out);
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
    const T reset = s.kept(gru_reset, i);
    const T shown = product[i] * s.share(2, i);
    const T d = shown * s.kept(previous, i) * slope(s.gate, reset);
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
