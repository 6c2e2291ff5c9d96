#include "kernel/cuda/each.cuh"
#include "kernel/cuda/kernels.h"
#include "kernel/element/elementwise.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

template <class Operation, class T>
void map(const Numbers& numbers, device::CudaQueue& queue) {
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(),
           [=] __device__(Index i) { y[i] = Operation::of(x[i]); });
}

// In the order of the enumerators.
template <class T>
constexpr Apply maps[unary_count] = {
    map<element::Negate, T>, map<element::Exp, T>,     map<element::Log, T>,  map<element::Sqrt, T>,
    map<element::Square, T>, map<element::Abs, T>,     map<element::Sign, T>, map<element::Relu, T>,
    map<element::Relu6, T>,  map<element::Sigmoid, T>, map<element::Tanh, T>, map<element::Gelu, T>};

}  // namespace

void apply_unary(Unary operation, const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.outputs[0].spec.type,
                [&](auto zero) { maps<decltype(zero)>[static_cast<int>(operation)](numbers, queue); });
}

}  // namespace wt::cuda
