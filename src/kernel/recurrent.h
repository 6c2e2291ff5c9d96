#pragma once
// A recurrent layer's steps, forward and backward, for any backend. The inputs' product for all steps is a
// matmul before this kernel; a step here is the recurrent product and one pass over the units.
//
// What the forward pass computed is its last output, the reserve (cuDNN's word): the state before each step
// and the gates, [planes, time, batch, units], so that the gradient of the recurrent kernel is one product
// over all steps.

#include <algorithm>
#include <optional>

#include "kernel/element/recurrent.h"
#include "kernel/kernel.h"

namespace wt {

// The sizes of a call, from its attributes, z [batch, time, gates * units] and the recurrent kernel.
struct RecurrentLayout {
  element::Cell cell{};
  std::int64_t batch = 0, time = 0, units = 0;
  RecurrentAttributes attributes{};

  std::int64_t gates() const { return cell == element::Cell::lstm ? 4 : cell == element::Cell::gru ? 3 : 1; }
  std::int64_t planes() const { return cell == element::Cell::lstm ? 6 : cell == element::Cell::gru ? 5 : 2; }
  bool has_cell_state() const { return cell == element::Cell::lstm; }
  bool has_bias() const { return cell == element::Cell::gru && attributes.reset_after; }
  bool drops() const { return attributes.state_dropout > 0; }
  bool is_split() const { return cell == element::Cell::gru && !attributes.reset_after; }
  std::int64_t width() const { return units * (is_split() ? 2 : gates()); }  // of the first product
  std::int64_t elements() const { return batch * units; }
  std::int64_t first_gates() const { return is_split() ? 2 : gates(); }  // of the first product
  // Elements of scratch memory, in the order in which the passes take them.
  std::int64_t forward_scratch() const {
    return batch * width() + (is_split() ? elements() + 3 * units * units : 0) +
           (drops() ? first_gates() * (units * units + 2 * elements()) : 0);
  }
  std::int64_t backward_scratch() const {
    return time * batch * width() + 2 * elements() +
           (is_split() ? (time + 1) * elements() + 6 * units * units : 0) +
           (drops() ? first_gates() * (units * units + 2 * elements()) + 2 * time * elements() + units * units
                    : 0);
  }
};

namespace recurrent {

// The masks are the last operands, from `next` on.
template <class T>
element::Steps<T> steps_of(const RecurrentLayout& l, const Numbers& numbers, std::size_t next, T* reserve) {
  element::Steps<T> steps{.cell = l.cell,
                          .activation = l.attributes.activation,
                          .gate = l.attributes.recurrent_activation,
                          .reset_after = l.attributes.reset_after,
                          .batch = l.batch,
                          .time = l.time,
                          .units = l.units,
                          .gates = l.gates(),
                          .reserve = reserve};
  if (l.drops()) {
    steps.kept_state = numbers.inputs[next++].as<bool>();
    steps.kept_scale = static_cast<T>(1 / (1 - l.attributes.state_dropout));
  }
  if (l.attributes.is_masked) steps.mask = numbers.inputs[next].as<bool>();
  return steps;
}

template <class T>
void set_step(element::Steps<T>& steps, const RecurrentLayout& l, std::int64_t step) {
  steps.step = step;
  steps.at = l.attributes.go_backwards ? l.time - 1 - step : step;
}

// Copies columns of the recurrent kernel [units, 3 units], for a gru whose candidate has its own product.
template <class T, class Backend>
void copy_columns(Backend& backend, const T* from, std::int64_t from_width, std::int64_t from_first, T* to,
                  std::int64_t to_width, std::int64_t to_first, std::int64_t rows, std::int64_t width) {
  backend.each(rows * width,
               element::CopyColumns<T>{from, to, width, from_width, from_first, to_width, to_first});
}

// The products of the state for the gates of the first product where each drops its own part of the state: the parts of
// the kernel [gates, units, units], then two numbers for each gate and element of the state.
template <class T, class Backend>
class DroppedProducts {
 public:
  DroppedProducts(const RecurrentLayout& l, const T* kernel, T* scratch, Backend& backend)
      : l_(l),
        backend_(backend),
        parts_(scratch),
        operands_(parts_ + l.first_gates() * part()),
        results_(operands_ + l.first_gates() * l.elements()) {
    for (std::int64_t gate = 0; gate < l.first_gates(); ++gate)
      copy_columns<T>(backend, kernel, l.gates() * l.units, gate * l.units, parts_ + gate * part(), l.units,
                      0, l.units, l.units);
  }
  T* end() const { return results_ + l_.first_gates() * l_.elements(); }

  void forward(const element::Steps<T>& s, const T* h, T* product) {
    backend_.each(count(), element::DropState<T>{s, h, operands_});
    multiply(false);
    backend_.each(count(), moved(results_, product, false));
  }

  // From the slopes of the products that of the state.
  void backward(const element::Steps<T>& s, const T* slopes, T* of_state) {
    backend_.each(count(), moved(slopes, operands_, true));
    multiply(true);
    backend_.each(l_.elements(), element::GatherSlopes<T>{s, l_.first_gates(), results_, of_state});
  }

  // The slopes of the kernel. `scratch` has two numbers for each element of the state in each step, and those of a part.
  void backward_kernel(const element::Steps<T>& s, const T* slopes, T* dkernel, T* scratch) {
    const std::int64_t rows = l_.time * l_.batch, u = l_.units;
    T *states = scratch, *own = states + rows * u, *dpart = own + rows * u;
    for (std::int64_t gate = 0; gate < l_.first_gates(); ++gate) {
      backend_.each(rows * u, element::DropStates<T>{s, gate, states});
      copy_columns<T>(backend_, slopes, l_.width(), gate * u, own, u, 0, rows, u);
      backend_.multiply(u, u, rows, true, false, states, own, dpart);
      copy_columns<T>(backend_, dpart, u, 0, dkernel, l_.gates() * u, gate * u, u, u);
    }
  }

 private:
  std::int64_t part() const { return l_.units * l_.units; }
  std::int64_t count() const { return l_.first_gates() * l_.elements(); }
  element::MoveGates<T> moved(const T* from, T* to, bool apart) const {
    return {l_.batch, l_.units, l_.first_gates(), from, to, apart};
  }
  void multiply(bool transpose) {
    for (std::int64_t gate = 0; gate < l_.first_gates(); ++gate)
      backend_.multiply(l_.batch, l_.units, l_.units, false, transpose, operands_ + gate * l_.elements(),
                        parts_ + gate * part(), results_ + gate * l_.elements());
  }

  const RecurrentLayout& l_;
  Backend& backend_;
  T *parts_, *operands_, *results_;
};

// A backend has `each(count, f)`, which calls f(i), and `multiply(m, n, k, transpose_a, transpose_b, a, b, c, again)` for
// row-major matrices. `again`: the call before was the same product with the same b, which may have been laid out.
template <class T, class Backend>
void forward(const RecurrentLayout& l, const Numbers& numbers, T* scratch, Backend& backend) {
  std::size_t next = 2;
  const T *z = numbers.inputs[0].as<T>(), *kernel = numbers.inputs[1].as<T>();
  const T* bias = l.has_bias() ? numbers.inputs[next++].template as<T>() : nullptr;
  const T* h0 = numbers.inputs[next++].template as<T>();
  const T* c0 = l.has_cell_state() ? numbers.inputs[next++].template as<T>() : nullptr;
  T *y = numbers.outputs[0].as<T>(), *h = numbers.outputs[1].as<T>();
  T* c = l.has_cell_state() ? numbers.outputs[2].as<T>() : nullptr;
  auto s = steps_of(l, numbers, next, numbers.outputs.back().template as<T>());

  const std::int64_t u = l.units, n = l.elements();
  backend.each(n, element::CopyColumns<T>{h0, h});
  if (c) backend.each(n, element::CopyColumns<T>{c0, c});
  T* product = scratch;
  T* candidate = product + l.batch * l.width();
  T *first = candidate + n, *second = first + 2 * u * u;  // parts of the kernel
  if (l.is_split()) {
    copy_columns<T>(backend, kernel, 3 * u, 0, first, 2 * u, 0, u, 2 * u);
    copy_columns<T>(backend, kernel, 3 * u, 2 * u, second, u, 0, u, u);
  }
  std::optional<DroppedProducts<T, Backend>> dropped;
  if (l.drops()) dropped.emplace(l, kernel, l.is_split() ? second + u * u : candidate, backend);
  for (std::int64_t step = 0; step < l.time; ++step) {
    set_step(s, l, step);
    if (dropped)
      dropped->forward(s, h, product);
    else
      backend.multiply(l.batch, l.width(), u, false, false, h, l.is_split() ? first : kernel, product,
                       step > 0 && !l.is_split());
    if (l.is_split()) {
      backend.each(n, element::ResetState<T>{s, z, product, h});
      backend.multiply(l.batch, u, u, false, false, &element::kept(s, element::gru_inner, 0), second,
                       candidate);
    }
    backend.each(n, element::Forward<T>{{s, z, l.is_split() ? candidate : product, bias, h, c, y}});
  }
}

template <class T, class Backend>
void backward(const RecurrentLayout& l, const Numbers& numbers, T* scratch, Backend& backend) {
  std::size_t next = 2, result = 2;
  const T *dy = numbers.inputs[0].as<T>(), *kernel = numbers.inputs[1].as<T>();
  const T* dh_last = numbers.inputs[next++].template as<T>();
  const T* dc_last = l.has_cell_state() ? numbers.inputs[next++].template as<T>() : nullptr;
  const T* reserve = numbers.inputs[next++].template as<T>();
  T *dz = numbers.outputs[0].as<T>(), *dkernel = numbers.outputs[1].as<T>();
  T* dbias = l.has_bias() ? numbers.outputs[result++].template as<T>() : nullptr;
  T* dh = numbers.outputs[result++].template as<T>();
  T* dc = l.has_cell_state() ? numbers.outputs[result].as<T>() : nullptr;
  auto s = steps_of(l, numbers, next, const_cast<T*>(reserve));  // a backward pass only reads it

  const std::int64_t u = l.units, n = l.elements(), rows = l.time * l.batch, width = l.width();
  T* slopes = scratch;                 // [time, batch, width]
  T* product = slopes + rows * width;  // [batch, units]
  T* carried = product + n;
  T *candidates = carried + n, *of_candidate = candidates + rows * u;  // [time, batch, units], [batch, units]
  T *first = of_candidate + n, *second = first + 2 * u * u, *dfirst = second + u * u,
    *dsecond = dfirst + 2 * u * u;
  if (l.is_split()) {
    copy_columns<T>(backend, kernel, 3 * u, 0, first, 2 * u, 0, u, 2 * u);
    copy_columns<T>(backend, kernel, 3 * u, 2 * u, second, u, 0, u, u);
  }
  std::optional<DroppedProducts<T, Backend>> dropped;
  if (l.drops()) dropped.emplace(l, kernel, l.is_split() ? dsecond + u * u : candidates, backend);
  backend.each(n, element::CopyColumns<T>{dh_last, dh});
  if (dc) backend.each(n, element::CopyColumns<T>{dc_last, dc});
  backend.each(n, element::CopyColumns<T>{nullptr, carried});
  for (std::int64_t step = l.time - 1; step >= 0; --step) {
    set_step(s, l, step);
    T* now = slopes + step * l.batch * width;
    T* now_candidate = l.is_split() ? candidates + step * n : nullptr;
    const T* through = step + 1 < l.time ? product : nullptr;
    backend.each(n, element::Backward<T>{{s, dy, through, dh, dc, carried, dz, now, now_candidate}});
    if (l.is_split()) {
      backend.multiply(l.batch, u, u, false, true, now_candidate, second, of_candidate);
      backend.each(n, element::ResetSlope<T>{s, of_candidate, dh, dz, now});
    }
    if (dropped)
      dropped->backward(s, now, product);
    else
      backend.multiply(l.batch, u, width, false, true, now, l.is_split() ? first : kernel, product,
                       step + 1 < l.time && !l.is_split());
  }
  if (l.time > 0) backend.each(n, element::CopyColumns<T>{.from = product, .to = dh, .adds = true});
  if (dbias) backend.each(width, element::SumColumns<T>{slopes, dbias, rows, width});
  if (dropped)
    dropped->backward_kernel(s, slopes, dkernel, dropped->end());
  else
    backend.multiply(u, width, rows, true, false, reserve, slopes, l.is_split() ? dfirst : dkernel);
  if (!l.is_split()) return;
  const T* inner = reserve + element::gru_inner * rows * u;
  backend.multiply(u, u, rows, true, false, inner, candidates, dsecond);
  if (!dropped) copy_columns<T>(backend, dfirst, 2 * u, 0, dkernel, 3 * u, 0, u, 2 * u);
  copy_columns<T>(backend, dsecond, u, 0, dkernel, 3 * u, 2 * u, u, u);
}

}  // namespace recurrent

// The layouts of a forward and of a backward call.
RecurrentLayout recurrent_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                 const Attributes& attributes);
RecurrentLayout recurrent_gradient_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                          const Attributes& attributes);

}  // namespace wt
