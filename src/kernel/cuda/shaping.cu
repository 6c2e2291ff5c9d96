#include "kernel/cuda/each.cuh"
#include "kernel/cuda/kernels.h"
#include "kernel/cuda/walk.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// Copies x to y. y is written contiguously and x is read by these strides, one for each axis of y.
template <class T>
void copy(const Numbers& numbers, const Strides& strides, device::CudaQueue& queue) {
  const View &from = numbers.inputs[0], &to = numbers.outputs[0];
  const auto walk = walk_of<1>(to.spec.shape, {strides});
  const T* x = from.as<T>();
  T* y = to.as<T>();
  for_each(queue, to.spec.elements(), [=] __device__(Index i) {
    Index at[1];
    walk.place(i, at);
    y[i] = x[at[0]];
  });
}

void copy_by_strides(const Numbers& numbers, const Strides& strides, device::CudaQueue& queue) {
  with_type(numbers.inputs[0].spec.type, [&](auto zero) { copy<decltype(zero)>(numbers, strides, queue); });
}

}  // namespace

void apply_transpose(const Numbers& numbers, device::CudaQueue& queue) {
  const Shape& permutation = attributes_as<ShapeAttributes>(numbers.attributes).shape;
  const Strides dense = dense_strides(numbers.inputs[0].spec.shape);
  Strides strides{};
  for (int axis = 0; axis < permutation.rank(); ++axis)
    strides[static_cast<std::size_t>(axis)] = dense[static_cast<std::size_t>(permutation[axis])];
  copy_by_strides(numbers, strides, queue);
}

void apply_broadcast_to(const Numbers& numbers, device::CudaQueue& queue) {
  copy_by_strides(numbers, broadcast_strides(numbers.inputs[0].spec.shape, numbers.outputs[0].spec.shape),
                  queue);
}

}  // namespace wt::cuda
