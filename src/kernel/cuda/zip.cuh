#pragma once

#include "kernel/cuda/each.cuh"
#include "kernel/cuda/table.h"
#include "kernel/cuda/walk.h"

namespace wt::cuda {

// c = Operation::of(a, b) for every element, with broadcasting.
template <class Operation, class T, class Result>
void zip(const Numbers& numbers, device::CudaQueue& queue) {
  const View &a = numbers.inputs[0], &b = numbers.inputs[1], &c = numbers.outputs[0];
  const Shape& shape = c.spec.shape;
  const auto walk =
      walk_of<2>(shape, {broadcast_strides(a.spec.shape, shape), broadcast_strides(b.spec.shape, shape)});
  const T *a_data = a.as<T>(), *b_data = b.as<T>();
  auto* c_data = c.as<Result>();
  for_each(queue, shape.elements(), [=] __device__(Index i) {
    Index at[2];
    walk.place(i, at);
    c_data[i] = Operation::of(a_data[at[0]], b_data[at[1]]);
  });
}

}  // namespace wt::cuda
