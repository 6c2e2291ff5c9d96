#include "kernel/cuda/kernels.h"

#include "kernel/cuda/team.cuh"
#include "kernel/element/exponential.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

struct Rows {
  explicit Rows(const Shape& x) : count(x.elements(0, x.rank() - 1)), width(x.last()) {}
  Index count, width;
};

// A NaN may be lost here: its exponential is NaN in any case, and so is the sum.
template <class T>
__device__ T maximum_of(const Team& team, const T* x, Index width) {
  T most = x[0];
  for (Index i = team.lane; i < width; i += team.size) most = x[i] > most ? x[i] : most;
  return team.reduce(most, [](T a, T b) { return a > b ? a : b; });
}

// Computes y = exp(x - maximum) and returns the sum of y.
template <class T>
__device__ T exponentials(const Team& team, const T* x, T* y, Index width, T maximum) {
  return team.sum<T>(width, [&](Index i) { return y[i] = element::exponential(x[i] - maximum); });
}

template <class T>
void softmax_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Index width = rows.width;
  if (width == 0) return;
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  for_each_row(queue, rows.count, width, [=] __device__(Index row, const Team& team) {
    T* own = y + row * width;
    const T maximum = maximum_of(team, x + row * width, width);
    const T sum = exponentials(team, x + row * width, own, width, maximum);
    for (Index i = team.lane; i < width; i += team.size) own[i] /= sum;
  });
}

template <class T>
void softmax_gradient_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Index width = rows.width;
  const T *dy = numbers.inputs[0].as<T>(), *y = numbers.inputs[1].as<T>();
  T* dx = numbers.outputs[0].as<T>();
  for_each_row(queue, rows.count, width, [=] __device__(Index row, const Team& team) {
    const Index at = row * width;
    const T sum = team.sum<T>(width, [&](Index i) { return dy[at + i] * y[at + i]; });
    for (Index i = team.lane; i < width; i += team.size) dx[at + i] = (dy[at + i] - sum) * y[at + i];
  });
}

// A label that is not a class gives NaN in its row, as in TensorFlow on a GPU. The CPU throws an error that
// names the label, but a GPU cannot stop the program.
template <class T, class Label>
void sparse_cross_entropy(const Numbers& numbers, device::CudaQueue& queue) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Index width = rows.width;
  const T* logits = numbers.inputs[0].as<T>();
  const Label* labels = numbers.inputs[1].as<Label>();
  T *loss = numbers.outputs[0].as<T>(), *backprop = numbers.outputs[1].as<T>();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for_each_row(queue, rows.count, width, [=] __device__(Index row, const Team& team) {
    const T* x = logits + row * width;
    T* own = backprop + row * width;
    const T maximum = maximum_of(team, x, width);
    const T sum = exponentials(team, x, own, width, maximum);
    const auto label = static_cast<Index>(labels[row]);
    const bool is_class = label >= 0 && label < width;
    for (Index i = team.lane; i < width; i += team.size)
      own[i] = is_class ? own[i] / sum - (i == label ? T{1} : T{0}) : nan;
    if (team.lane == 0) loss[row] = is_class ? element::logarithm(sum) - (x[label] - maximum) : nan;
  });
}

template <class T>
void cross_entropy(const Numbers& numbers, device::CudaQueue& queue) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Index width = rows.width;
  const T *logits = numbers.inputs[0].as<T>(), *labels = numbers.inputs[1].as<T>();
  T *loss = numbers.outputs[0].as<T>(), *backprop = numbers.outputs[1].as<T>();
  for_each_row(queue, rows.count, width, [=] __device__(Index row, const Team& team) {
    const T *x = logits + row * width, *target = labels + row * width;
    T* own = backprop + row * width;
    const T maximum = maximum_of(team, x, width);
    const T sum = exponentials(team, x, own, width, maximum);
    const T log_sum = element::logarithm(sum);
    const T all = team.sum<T>(width, [&](Index i) { return target[i] * (log_sum - (x[i] - maximum)); });
    for (Index i = team.lane; i < width; i += team.size) own[i] = own[i] / sum - target[i];
    if (team.lane == 0) loss[row] = all;
  });
}

}  // namespace

void softmax(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) { softmax_of<decltype(zero)>(numbers, queue); });
}

void softmax_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { softmax_gradient_of<decltype(zero)>(numbers, queue); });
}

void sparse_softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[1].spec.type,
               [&](auto label) { sparse_cross_entropy<decltype(zero), decltype(label)>(numbers, queue); });
  });
}

void softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { cross_entropy<decltype(zero)>(numbers, queue); });
}

}  // namespace wt::cuda
