#include "kernel/cpu/kernels.h"

#include <cmath>

#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/loss.h"
#include "kernel/cpu/loops/softmax.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"
#include "kernel/signature.h"

namespace wt::cpu {
namespace {

template <class T>
const loops::LossOf<T>& loss_loops() {
  return part_of<T>(WT_LOOPS(loops::loss));
}

// Checks all labels before any thread starts, so that the error names the first wrong one.
template <class Label>
void require_labels(std::span<const Label> labels, std::int64_t classes) {
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] < 0 || labels[row] >= classes)
      refuse(
          "sparse_softmax_cross_entropy",
          fmt::format("label {} in row {} is not a class: logits has {} columns", labels[row], row, classes),
          fmt::format("labels must be from 0 to {}", classes - 1));
}

template <class T, class Label>
void sparse_cross_entropy(const Numbers& numbers, device::Workers& workers) {
  const Shape& shape = numbers.inputs[0].spec.shape;
  const Label* labels = numbers.inputs[1].as<Label>();
  require_labels<Label>(numbers.inputs[1].values<Label>(), shape.last());
  const T* logits = numbers.inputs[0].as<T>();
  T *loss = numbers.outputs[0].as<T>(), *backprop = numbers.outputs[1].as<T>();
  const auto& loops = part_of<T>(WT_LOOPS(loops::softmax));
  for_each_row(workers, shape, [&](std::int64_t row, std::int64_t offset, std::int64_t width) {
    T maximum{};
    const T sum = loops.exponentials(logits + offset, backprop + offset, width, &maximum);
    const std::int64_t label = offset + static_cast<std::int64_t>(labels[row]);
    loss[row] = std::log(sum) - (logits[label] - maximum);
    loops.divide(backprop + offset, width, sum);
    backprop[label] -= T{1};
  });
}

}  // namespace

void sparse_softmax_cross_entropy(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[1].spec.type,
               [&](auto label) { sparse_cross_entropy<decltype(zero), decltype(label)>(numbers, workers); });
  });
}

void softmax_cross_entropy(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const T *logits = numbers.inputs[0].as<T>(), *labels = numbers.inputs[1].as<T>();
    T *loss = numbers.outputs[0].as<T>(), *backprop = numbers.outputs[1].as<T>();
    const auto& loops = part_of<T>(WT_LOOPS(loops::softmax));
    const auto of_row = [&](std::int64_t row, std::int64_t offset, std::int64_t width) {
      T maximum{};
      const T sum = loops.exponentials(logits + offset, backprop + offset, width, &maximum);
      loss[row] =
          loops.cross_entropy(logits + offset, labels + offset, backprop + offset, width, maximum, sum);
    };
    for_each_row(workers, numbers.inputs[0].spec.shape, of_row);
  });
}

namespace {

// Computes a loss from each pair of rows.
template <class T>
void apply_loss(const Numbers& numbers, device::Workers& workers,
                T (*loop)(const T*, const T*, std::int64_t)) {
  const T *prediction = numbers.inputs[0].as<T>(), *target = numbers.inputs[1].as<T>();
  T* loss = numbers.outputs[0].as<T>();
  for_each_row(workers, numbers.inputs[0].spec.shape,
               [&](std::int64_t row, std::int64_t offset, std::int64_t width) {
                 loss[row] = loop(prediction + offset, target + offset, width);
               });
}

template <class T>
void apply_loss_gradient(const Numbers& numbers, device::Workers& workers,
                         void (*loop)(T, const T*, const T*, T*, std::int64_t)) {
  const T* dloss = numbers.inputs[0].as<T>();
  const T *prediction = numbers.inputs[1].as<T>(), *target = numbers.inputs[2].as<T>();
  T* dprediction = numbers.outputs[0].as<T>();
  for_each_row(workers, numbers.inputs[1].spec.shape,
               [&](std::int64_t row, std::int64_t offset, std::int64_t width) {
                 loop(dloss[row], prediction + offset, target + offset, dprediction + offset, width);
               });
}

}  // namespace

void mean_squared_error(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    apply_loss(numbers, workers, loss_loops<decltype(zero)>().mean_squared_error);
  });
}
void mean_squared_error_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    apply_loss_gradient(numbers, workers, loss_loops<decltype(zero)>().mean_squared_error_gradient);
  });
}
void binary_cross_entropy(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    apply_loss(numbers, workers, loss_loops<decltype(zero)>().binary_cross_entropy);
  });
}
void binary_cross_entropy_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    apply_loss_gradient(numbers, workers, loss_loops<decltype(zero)>().binary_cross_entropy_gradient);
  });
}

}  // namespace wt::cpu
