#include "kernel/cuda/kernels.h"

#include "kernel/cuda/reduce.cuh"
#include "kernel/element/loss.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

struct SquaredError {
  template <class T>
  __device__ static T of(T prediction, T target) {
    return element::squared_difference(prediction, target);
  }
  template <class T>
  __device__ static T slope(T prediction, T target, T dloss, T width) {
    return (prediction - target) * (dloss * T(2) / width);
  }
};

struct BinaryCrossEntropy {
  template <class T>
  __device__ static T of(T logit, T label) {
    return element::binary_cross_entropy(logit, label);
  }
  template <class T>
  __device__ static T slope(T logit, T label, T dloss, T width) {
    return element::binary_cross_entropy_slope(logit, label) * (dloss / width);
  }
};

Cut cut_by_rows(const Shape& x) { return cut_of(x.elements(0, x.rank() - 1), x.last(), true); }

// Computes a loss as the mean along the last axis.
template <class Loss, class T>
void row_loss(const Numbers& numbers, device::CudaQueue& queue) {
  const Cut cut = cut_by_rows(numbers.inputs[0].spec.shape);
  const Index width = cut.length;
  const T *prediction = numbers.inputs[0].as<T>(), *target = numbers.inputs[1].as<T>();
  T* loss = numbers.outputs[0].as<T>();
  const auto term = [=] __device__(Index row, Index i) {
    return static_cast<double>(Loss::of(prediction[row * width + i], target[row * width + i]));
  };
  const auto finish = [=] __device__(Index row, double sum) {
    loss[row] = static_cast<T>(sum / static_cast<double>(width));
  };
  reduce(queue, cut, numbers.workspace, 0.0, term, AddNumbers{}, finish);
}

template <class Loss, class T>
void row_loss_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  const TensorSpec& x = numbers.inputs[1].spec;
  const Index width = x.shape.last();
  const T *dloss = numbers.inputs[0].as<T>(), *prediction = numbers.inputs[1].as<T>();
  const T* target = numbers.inputs[2].as<T>();
  T* dprediction = numbers.outputs[0].as<T>();
  for_each(queue, x.elements(), [=] __device__(Index i) {
    dprediction[i] = Loss::slope(prediction[i], target[i], dloss[i / width], static_cast<T>(width));
  });
}

}  // namespace

void mean_squared_error(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { row_loss<SquaredError, decltype(zero)>(numbers, queue); });
}
void mean_squared_error_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { row_loss_gradient<SquaredError, decltype(zero)>(numbers, queue); });
}
void binary_cross_entropy(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { row_loss<BinaryCrossEntropy, decltype(zero)>(numbers, queue); });
}
void binary_cross_entropy_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { row_loss_gradient<BinaryCrossEntropy, decltype(zero)>(numbers, queue); });
}

Bytes row_loss_workspace(const Call& call) {
  return Bytes(cut_by_rows(call.inputs[0].shape).partials() * static_cast<Index>(sizeof(double)));
}

}  // namespace wt::cuda
