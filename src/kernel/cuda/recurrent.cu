#include "kernel/recurrent.h"

#include <array>

#include "kernel/cuda/each.cuh"
#include "kernel/cuda/kernels.h"
#include "kernel/cuda/matrix.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

template <class T>
struct Backend {
  device::CudaQueue& queue;

  template <class F>
  void each(std::int64_t count, const F& f) {
    for_each(queue, count, f);
  }
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b,
                const T* a, const T* b, T* c, bool = false) {
    Product product;
    product.m = m;
    product.n = n;
    product.k = k;
    product.a = {transpose_a ? m : k, m * k, transpose_a};
    product.b = {transpose_b ? k : n, k * n, transpose_b};
    product.c = {n, m * n, false};
    cuda::multiply(product, a, b, c, queue);
  }
};

}  // namespace

template <element::Cell cell>
void recurrent(const Numbers& numbers, device::CudaQueue& queue) {
  const std::array<TensorSpec, 2> specs{numbers.inputs[0].spec, numbers.inputs[1].spec};
  const RecurrentLayout l = recurrent_layout(cell, specs, numbers.attributes);
  with_floating(specs[0].type, [&](auto zero) {
    using T = decltype(zero);
    Backend<T> backend{queue};
    wt::recurrent::forward(l, numbers, reinterpret_cast<T*>(numbers.workspace.data()), backend);
  });
}

template <element::Cell cell>
void recurrent_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  const std::array<TensorSpec, 2> specs{numbers.inputs[0].spec, numbers.inputs[1].spec};
  const RecurrentLayout l = recurrent_gradient_layout(cell, specs, numbers.attributes);
  with_floating(specs[0].type, [&](auto zero) {
    using T = decltype(zero);
    Backend<T> backend{queue};
    wt::recurrent::backward(l, numbers, reinterpret_cast<T*>(numbers.workspace.data()), backend);
  });
}

template <element::Cell cell>
Bytes recurrent_workspace(const Call& call) {
  const RecurrentLayout l = recurrent_layout(cell, call.inputs, call.attributes);
  return Bytes(l.forward_scratch() * bytes_per_element(call.inputs[0].type));
}

template <element::Cell cell>
Bytes recurrent_gradient_workspace(const Call& call) {
  const RecurrentLayout l = recurrent_gradient_layout(cell, call.inputs, call.attributes);
  return Bytes(l.backward_scratch() * bytes_per_element(call.inputs[0].type));
}

#define WT_CELL(cell)                                                         \
  template void recurrent<cell>(const Numbers&, device::CudaQueue&);          \
  template void recurrent_gradient<cell>(const Numbers&, device::CudaQueue&); \
  template Bytes recurrent_workspace<cell>(const Call&);                      \
  template Bytes recurrent_gradient_workspace<cell>(const Call&);
WT_CELL(element::Cell::simple_rnn)
WT_CELL(element::Cell::gru)
WT_CELL(element::Cell::lstm)
#undef WT_CELL

}  // namespace wt::cuda
