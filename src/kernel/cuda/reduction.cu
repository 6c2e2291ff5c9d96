#include "kernel/cuda/kernels.h"

#include "kernel/cuda/axes.h"
#include "kernel/cuda/reduce.cuh"
#include "kernel/element/convert.h"
#include "kernel/element/elementwise.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// Floats are summed in double and integers in int64, as on the CPU.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

struct AddSums {
  template <class A>
  __device__ A operator()(A a, A b) const {
    return element::Add::of(a, b);
  }
};

// If an element is NaN, the maximum is NaN.
struct TakeLarger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b > a || b != b ? b : a;
  }
};

ReducedAxes axes_of(const Numbers& numbers) {
  return reduced_axes(numbers.inputs[0].spec.shape, attributes_as<AxesAttributes>(numbers.attributes).axes);
}

template <class T>
void sum(const Numbers& numbers, device::CudaQueue& queue, Sum<T> divisor) {
  using A = Sum<T>;
  const ReducedAxes axes = axes_of(numbers);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  const auto term = [=] __device__(Index result, Index i) {
    return static_cast<A>(x[axes.place(result, i)]);
  };
  const auto finish = [=] __device__(Index result, A all) { y[result] = static_cast<T>(all / divisor); };
  reduce(queue, axes.cut, numbers.workspace, A{0}, term, AddSums{}, finish);
}

template <class T>
void maximum(const Numbers& numbers, device::CudaQueue& queue) {
  const ReducedAxes axes = axes_of(numbers);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  const T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : element::smallest<T>;
  const auto term = [=] __device__(Index result, Index i) { return x[axes.place(result, i)]; };
  const auto finish = [=] __device__(Index result, T largest) { y[result] = largest; };
  reduce(queue, axes.cut, numbers.workspace, lowest, term, TakeLarger{}, finish);
}

// A value and its index, which is -1 if no value has been found yet.
template <class T>
struct Found {
  T value;
  Index at;
};

// Takes the first maximum, as the CPU does. A NaN never counts as larger; as the first element of a row it
// stays, since no comparison with it is true.
struct TakeFirstLargest {
  template <class T>
  __device__ Found<T> operator()(const Found<T>& a, const Found<T>& b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (b.value > a.value) return b;
    if (a.value != a.value) return a.at == 0 ? a : b;
    return b.value == a.value && b.at < a.at ? b : a;
  }
};

template <class T>
void argmax(const Numbers& numbers, device::CudaQueue& queue) {
  const Shape& shape = numbers.inputs[0].spec.shape;
  const Index width = shape.last();
  const T* x = numbers.inputs[0].as<T>();
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  const auto term = [=] __device__(Index row, Index i) { return Found<T>{x[row * width + i], i}; };
  const auto finish = [=] __device__(Index row, const Found<T>& found) { y[row] = found.at; };
  reduce(queue, cut_of(shape.elements(0, shape.rank() - 1), width, true), numbers.workspace,
         Found<T>{T{}, -1}, term, TakeFirstLargest{}, finish);
}

}  // namespace

void apply_reduce_sum(const Numbers& numbers, device::CudaQueue& queue) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) { sum<decltype(zero)>(numbers, queue, 1); });
}

// As in TensorFlow, the sum is divided once at the end.
void apply_reduce_mean(const Numbers& numbers, device::CudaQueue& queue) {
  const auto count = static_cast<double>(axes_of(numbers).cut.length);
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) { sum<decltype(zero)>(numbers, queue, count); });
}

void apply_reduce_max(const Numbers& numbers, device::CudaQueue& queue) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) { maximum<decltype(zero)>(numbers, queue); });
}

void apply_argmax(const Numbers& numbers, device::CudaQueue& queue) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) { argmax<decltype(zero)>(numbers, queue); });
}

Bytes reduction_workspace(const Call& call) {
  const Shape& axes = attributes_as<AxesAttributes>(call.attributes).axes;
  return Bytes(reduced_axes(call.inputs[0].shape, axes).cut.partials() * 8);
}

Bytes argmax_workspace(const Call& call) {
  const Shape& shape = call.inputs[0].shape;
  return Bytes(cut_of(shape.elements(0, shape.rank() - 1), shape.last(), true).partials() * 16);
}

}  // namespace wt::cuda
