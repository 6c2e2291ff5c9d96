#pragma once
// A recurrent layer's steps, forward and backward, for any backend. The inputs' product for all steps is a
// matmul before this kernel; a step here is the recurrent product and one pass over the units.
//
// What the forward pass computed is its last output, the reserve (cuDNN's word): the state before each step
// and the gates, [planes, time, batch, units], so that the gradient of the recurrent kernel is one product
// over all steps.

#include <algorithm>

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
  bool is_split() const { return cell == element::Cell::gru && !attributes.reset_after; }
  std::int64_t width() const { return units * (is_split() ? 2 : gates()); }  // of the first product
  std::int64_t elements() const { return batch * units; }
  // Elements of scratch memory, in the order in which the passes take them.
  std::int64_t forward_scratch() const {
    return batch * width() + (is_split() ? elements() + 3 * units * units : 0);
  }
  std::int64_t backward_scratch() const {
    return time * batch * width() + 2 * elements() +
           (is_split() ? (time + 1) * elements() + 6 * units * units : 0);
  }
};

namespace recurrent {

template <class T>
element::Steps<T> steps_of(const RecurrentLayout& l, const bool* mask, T* reserve) {
  return {l.cell,
          l.attributes.activation,
          l.attributes.recurrent_activation,
          l.attributes.reset_after,
          l.batch,
          l.time,
          l.units,
          l.gates(),
          0,
          0,
          mask,
          reserve};
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

// A backend has `each(count, f)`, which calls f(i), and `multiply(m, n, k, transpose_a, transpose_b, a, b, c, again)` for
// row-major matrices. `again`: the call before was the same product with the same b, which may have been laid out.
template <class T, class Backend>
void forward(const RecurrentLayout& l, const Numbers& numbers, T* scratch, Backend& backend) {
  std::size_t next = 2;
  const T *z = numbers.inputs[0].as<T>(), *kernel = numbers.inputs[1].as<T>();
  const T* bias = l.has_bias() ? numbers.inputs[next++].template as<T>() : nullptr;
  const T* h0 = numbers.inputs[next++].template as<T>();
  const T* c0 = l.has_cell_state() ? numbers.inputs[next++].template as<T>() : nullptr;
  const bool* mask = l.attributes.is_masked ? numbers.inputs[next].template as<bool>() : nullptr;
  T *y = numbers.outputs[0].as<T>(), *h = numbers.outputs[1].as<T>();
  T* c = l.has_cell_state() ? numbers.outputs[2].as<T>() : nullptr;
  auto s = steps_of(l, mask, numbers.outputs.back().template as<T>());

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
  for (std::int64_t step = 0; step < l.time; ++step) {
    set_step(s, l, step);
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
  const bool* mask = l.attributes.is_masked ? numbers.inputs[next].template as<bool>() : nullptr;
  T *dz = numbers.outputs[0].as<T>(), *dkernel = numbers.outputs[1].as<T>();
  T* dbias = l.has_bias() ? numbers.outputs[result++].template as<T>() : nullptr;
  T* dh = numbers.outputs[result++].template as<T>();
  T* dc = l.has_cell_state() ? numbers.outputs[result].as<T>() : nullptr;
  auto s = steps_of(l, mask, const_cast<T*>(reserve));  // a backward pass only reads it

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
    backend.multiply(l.batch, u, width, false, true, now, l.is_split() ? first : kernel, product,
                     step + 1 < l.time && !l.is_split());
  }
  if (l.time > 0) backend.each(n, element::CopyColumns<T>{.from = product, .to = dh, .adds = true});
  if (dbias) backend.each(width, element::SumColumns<T>{slopes, dbias, rows, width});
  if (!l.is_split()) return backend.multiply(u, width, rows, true, false, reserve, slopes, dkernel);
  const T* inner = reserve + element::gru_inner * rows * u;
  backend.multiply(u, width, rows, true, false, reserve, slopes, dfirst);
  backend.multiply(u, u, rows, true, false, inner, candidates, dsecond);
  copy_columns<T>(backend, dfirst, 2 * u, 0, dkernel, 3 * u, 0, u, 2 * u);
  copy_columns<T>(backend, dsecond, u, 0, dkernel, 3 * u, 2 * u, u, u);
}

}  // namespace recurrent

// The layouts of a forward and of a backward call.
RecurrentLayout recurrent_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                 const Attributes& attributes);
RecurrentLayout recurrent_gradient_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                          const Attributes& attributes);

}  // namespace wt
