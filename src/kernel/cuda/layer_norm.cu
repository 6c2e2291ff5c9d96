#include "kernel/cuda/channels.h"
#include "kernel/cuda/kernels.h"
#include "kernel/cuda/reduce.cuh"
#include "kernel/cuda/team.cuh"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

template <class T>
void layer_norm_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Channels rows = channels_of(numbers.inputs[0].spec.shape);
  const Index width = rows.width;
  const double epsilon = attributes_as<NormalizationAttributes>(numbers.attributes).epsilon;
  const T *x = numbers.inputs[0].as<T>(), *gamma = numbers.inputs[1].as<T>(),
          *beta = numbers.inputs[2].as<T>();
  T* y = numbers.outputs[0].as<T>();
  T *means = numbers.outputs[1].as<T>(), *inverse_deviations = numbers.outputs[2].as<T>();
  for_each_row(queue, rows.rows, width, [=] __device__(Index row, const Team& team) {
    const T* in = x + row * width;
    const auto count = static_cast<T>(width);
    const T mean = team.sum<T>(width, [&](Index i) { return in[i]; }) / count;
    const T variance = team.sum<T>(width, [&](Index i) { return (in[i] - mean) * (in[i] - mean); }) / count;
    const auto inverse = static_cast<T>(1 / sqrt(static_cast<double>(variance) + epsilon));
    for (Index i = team.lane; i < width; i += team.size)
      y[row * width + i] = (in[i] - mean) * inverse * gamma[i] + beta[i];
    if (team.lane != 0) return;
    means[row] = mean;
    inverse_deviations[row] = inverse;
  });
}

template <class T>
struct Operands {
  const T *dy, *x, *gamma, *mean, *inverse_deviation;
  Index width;

  __device__ T normalized(Index row, Index i) const {
    return (x[row * width + i] - mean[row]) * inverse_deviation[row];
  }
  __device__ T slope(Index row, Index i) const { return dy[row * width + i] * gamma[i]; }
};

template <class T>
Operands<T> operands_of(const Numbers& numbers) {
  return {numbers.inputs[0].as<T>(), numbers.inputs[1].as<T>(), numbers.inputs[2].as<T>(),
          numbers.inputs[3].as<T>(), numbers.inputs[4].as<T>(), numbers.inputs[1].spec.shape.last()};
}

// dgamma and dbeta are sums over all rows.
template <class T>
void add_up_parameters(const Numbers& numbers, const Channels& channels, device::CudaQueue& queue) {
  const Operands<T> o = operands_of<T>(numbers);
  T *dgamma = numbers.outputs[1].as<T>(), *dbeta = numbers.outputs[2].as<T>();
  const auto term = [=] __device__(Index c, Index row) {
    const T dy = o.dy[row * o.width + c];
    return Pair{static_cast<double>(dy * o.normalized(row, c)), static_cast<double>(dy)};
  };
  const auto finish = [=] __device__(Index c, const Pair& sums) {
    dgamma[c] = static_cast<T>(sums.first);
    dbeta[c] = static_cast<T>(sums.second);
  };
  reduce(queue, channels.cut, channels.partials(numbers.workspace), Pair{0, 0}, term, AddNumbers{}, finish);
}

template <class T>
void layer_norm_gradient_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Channels channels = channels_of(numbers.inputs[1].spec.shape);
  const Operands<T> o = operands_of<T>(numbers);
  T* dx = numbers.outputs[0].as<T>();
  for_each_row(queue, channels.rows, o.width, [=] __device__(Index row, const Team& team) {
    const auto count = static_cast<T>(o.width);
    const T slope = team.sum<T>(o.width, [&](Index i) { return o.slope(row, i); }) / count;
    const T tilt =
        team.sum<T>(o.width, [&](Index i) { return o.slope(row, i) * o.normalized(row, i); }) / count;
    for (Index i = team.lane; i < o.width; i += team.size)
      dx[row * o.width + i] =
          o.inverse_deviation[row] * (o.slope(row, i) - slope - o.normalized(row, i) * tilt);
  });
  add_up_parameters<T>(numbers, channels, queue);
}

}  // namespace

void layer_norm(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { layer_norm_of<decltype(zero)>(numbers, queue); });
}
void layer_norm_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { layer_norm_gradient_of<decltype(zero)>(numbers, queue); });
}

}  // namespace wt::cuda
