#include "kernel/cuda/kernels.h"

#include "kernel/cuda/zip.cuh"
#include "kernel/element/convert.h"
#include "kernel/element/elementwise.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// In the order of the enumerators.
template <class T>
constexpr Apply comparisons[comparison_count] = {zip<element::Equal, T, bool>, zip<element::Less, T, bool>,
                                                 zip<element::Greater, T, bool>};

template <class T>
void select(const Numbers& numbers, device::CudaQueue& queue) {
  const View &condition = numbers.inputs[0], &a = numbers.inputs[1], &b = numbers.inputs[2];
  const View& c = numbers.outputs[0];
  const Shape& shape = c.spec.shape;
  const auto walk =
      walk_of<3>(shape, {broadcast_strides(condition.spec.shape, shape),
                         broadcast_strides(a.spec.shape, shape), broadcast_strides(b.spec.shape, shape)});
  const bool* conditions = condition.as<bool>();
  const T *a_data = a.as<T>(), *b_data = b.as<T>();
  T* c_data = c.as<T>();
  for_each(queue, shape.elements(), [=] __device__(Index i) {
    Index at[3];
    walk.place(i, at);
    c_data[i] = conditions[at[0]] ? a_data[at[1]] : b_data[at[2]];
  });
}

template <class From, class To>
void cast(const Numbers& numbers, device::CudaQueue& queue) {
  const From* x = numbers.inputs[0].as<From>();
  To* y = numbers.outputs[0].as<To>();
  for_each(queue, numbers.outputs[0].spec.elements(),
           [=] __device__(Index i) { y[i] = element::converted<To>(x[i]); });
}

template <class T>
void fill(T value, const View& y, device::CudaQueue& queue) {
  T* data = y.as<T>();
  for_each(queue, y.spec.elements(), [=] __device__(Index i) { data[i] = value; });
}

template <class T>
void range(double value, const View& y, device::CudaQueue& queue) {
  T* data = y.as<T>();
  for_each(queue, y.spec.elements(),
           [=] __device__(Index i) { data[i] = element::converted<T>(static_cast<double>(i) * value); });
}

}  // namespace

void apply_comparison(Comparison operation, const Numbers& numbers, device::CudaQueue& queue) {
  with_number(numbers.inputs[0].spec.type,
              [&](auto zero) { comparisons<decltype(zero)>[static_cast<int>(operation)](numbers, queue); });
}

void apply_select(const Numbers& numbers, device::CudaQueue& queue) {
  with_number(numbers.outputs[0].spec.type, [&](auto zero) { select<decltype(zero)>(numbers, queue); });
}

void apply_cast(const Numbers& numbers, device::CudaQueue& queue) {
  with_type(numbers.inputs[0].spec.type, [&](auto from) {
    with_type(numbers.outputs[0].spec.type,
              [&](auto to) { cast<decltype(from), decltype(to)>(numbers, queue); });
  });
}

void apply_fill(const Numbers& numbers, device::CudaQueue& queue) {
  const double value = attributes_as<FillAttributes>(numbers.attributes).value;
  const View& y = numbers.outputs[0];
  with_type(y.spec.type, [&](auto zero) { fill(element::converted<decltype(zero)>(value), y, queue); });
}

void apply_range(const Numbers& numbers, device::CudaQueue& queue) {
  const double value = attributes_as<FillAttributes>(numbers.attributes).value;
  const View& y = numbers.outputs[0];
  with_number(y.spec.type, [&](auto zero) { range<decltype(zero)>(value, y, queue); });
}

}  // namespace wt::cuda
