#include "kernel/cpu/kernels.h"
#include "kernel/cuda/channels.h"
#include "kernel/cuda/kernels.h"
#include "kernel/cuda/reduce.cuh"
#include "kernel/types.h"

// Statistics over rows are computed in double: first the mean, then the squared distances to it. The
// workspace holds the numbers per channel that one pass computes and the next one reads.

namespace wt::cuda {
namespace {

const NormalizationAttributes& attributes_of(const Numbers& numbers) {
  return attributes_as<NormalizationAttributes>(numbers.attributes);
}

// The numbers per channel in the workspace: y = (x - mean) scale + shift.
struct Scaling {
  double *mean, *scale, *shift;
};

template <class T>
void apply(const Channels& channels, const Scaling& scaling, const T* x, T* y, device::CudaQueue& queue) {
  const Index width = channels.width;
  for_each(queue, channels.rows * width, [=] __device__(Index i) {
    const Index c = i % width;
    y[i] = (x[i] - static_cast<T>(scaling.mean[c])) * static_cast<T>(scaling.scale[c]) +
           static_cast<T>(scaling.shift[c]);
  });
}

template <class T>
void find_means(const Numbers& numbers, const Channels& channels, double* mean, device::CudaQueue& queue) {
  const Index width = channels.width;
  const auto rows = static_cast<double>(channels.rows);
  const T* x = numbers.inputs[0].as<T>();
  const auto term = [=] __device__(Index c, Index row) { return static_cast<double>(x[row * width + c]); };
  const auto finish = [=] __device__(Index c, double sum) { mean[c] = sum / rows; };
  reduce(queue, channels.cut, channels.partials(numbers.workspace), 0.0, term, AddNumbers{}, finish);
}

// Computes the outputs per channel, and the scale and shift with which y is computed. All inputs of a channel
// are read before its outputs are written, since they may share memory. A replica without rows keeps its
// moving averages.
template <class T>
struct FinishedStatistics {
  const T *gamma, *beta, *moving_mean, *moving_variance;
  T *mean, *inverse_deviation, *new_moving_mean, *new_moving_variance;
  Scaling scaling;
  double rows, epsilon, correction;
  T keep, take;

  __device__ void operator()(Index c, double squares) const {
    const double variance = squares / rows, inverse = 1 / sqrt(variance + epsilon);
    const T before_mean = moving_mean[c], before_variance = moving_variance[c];
    scaling.scale[c] = static_cast<double>(gamma[c]) * inverse;
    scaling.shift[c] = static_cast<double>(beta[c]);
    mean[c] = static_cast<T>(scaling.mean[c]);
    inverse_deviation[c] = static_cast<T>(inverse);
    new_moving_mean[c] =
        rows == 0 ? before_mean : before_mean * keep + static_cast<T>(scaling.mean[c]) * take;
    new_moving_variance[c] =
        rows == 0 ? before_variance : before_variance * keep + static_cast<T>(variance * correction) * take;
  }
};

template <class T>
FinishedStatistics<T> finished_statistics(const Numbers& numbers, const Channels& channels,
                                          const Scaling& scaling) {
  const NormalizationAttributes& attributes = attributes_of(numbers);
  const auto input = [&](std::size_t i) { return numbers.inputs[i].as<T>(); };
  const auto output = [&](std::size_t i) { return numbers.outputs[i].as<T>(); };
  const auto rows = static_cast<double>(channels.rows);
  const bool corrects = attributes.corrects_variance && channels.rows > 1;
  return {.gamma = input(1),
          .beta = input(2),
          .moving_mean = input(3),
          .moving_variance = input(4),
          .mean = output(1),
          .inverse_deviation = output(2),
          .new_moving_mean = output(3),
          .new_moving_variance = output(4),
          .scaling = scaling,
          .rows = rows,
          .epsilon = attributes.epsilon,
          .correction = corrects ? rows / (rows - 1) : 1.0,
          .keep = static_cast<T>(attributes.momentum),
          .take = static_cast<T>(1 - attributes.momentum)};
}

Scaling scaling_in(const Channels& channels, std::span<std::byte> workspace) {
  return {channels.vector(workspace, 0), channels.vector(workspace, 1), channels.vector(workspace, 2)};
}

template <class T>
void batch_norm_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Channels channels = channels_of(numbers.inputs[0].spec.shape);
  const Scaling scaling = scaling_in(channels, numbers.workspace);
  find_means<T>(numbers, channels, scaling.mean, queue);
  const Index width = channels.width;
  const T* x = numbers.inputs[0].as<T>();
  const double* mean = scaling.mean;
  const auto term = [=] __device__(Index c, Index row) {
    const double distance = static_cast<double>(x[row * width + c]) - mean[c];
    return distance * distance;
  };
  reduce(queue, channels.cut, channels.partials(numbers.workspace), 0.0, term, AddNumbers{},
         finished_statistics<T>(numbers, channels, scaling));
  apply(channels, scaling, x, numbers.outputs[0].as<T>(), queue);
}

// dx = gamma s (dy - sum(dy) / n - (x - mean) s^2 sum(dy (x - mean)) / n), where s is the inverse deviation.
// This computes its three factors per channel. gamma is read before dbeta is written, which may be in the
// same memory.
template <class T>
struct FinishedSlopes {
  const T *gamma, *inverse_deviation;
  T *dgamma, *dbeta;
  double *by_dy, *by_x, *shift;
  double rows;

  __device__ void operator()(Index c, const Pair& sums) const {
    const double inverse = static_cast<double>(inverse_deviation[c]);
    const double scale = static_cast<double>(gamma[c]) * inverse;
    const double slope = rows == 0 ? 0 : sums.second * inverse;
    by_dy[c] = scale;
    by_x[c] = -scale * slope * inverse / rows;
    shift[c] = -scale * sums.first / rows;
    dgamma[c] = static_cast<T>(slope);
    dbeta[c] = static_cast<T>(sums.first);
  }
};

template <class T>
void batch_norm_gradient_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Channels channels = channels_of(numbers.inputs[1].spec.shape);
  const Index width = channels.width;
  const T *dy = numbers.inputs[0].as<T>(), *x = numbers.inputs[1].as<T>(), *mean = numbers.inputs[3].as<T>();
  const auto term = [=] __device__(Index c, Index row) {
    const double slope = static_cast<double>(dy[row * width + c]);
    return Pair{slope, slope * (static_cast<double>(x[row * width + c]) - static_cast<double>(mean[c]))};
  };
  double *by_dy = channels.vector(numbers.workspace, 0), *by_x = channels.vector(numbers.workspace, 1);
  double* shift = channels.vector(numbers.workspace, 2);
  const FinishedSlopes<T> finish{.gamma = numbers.inputs[2].as<T>(),
                                 .inverse_deviation = numbers.inputs[4].as<T>(),
                                 .dgamma = numbers.outputs[1].as<T>(),
                                 .dbeta = numbers.outputs[2].as<T>(),
                                 .by_dy = by_dy,
                                 .by_x = by_x,
                                 .shift = shift,
                                 .rows = static_cast<double>(channels.rows)};
  reduce(queue, channels.cut, channels.partials(numbers.workspace), Pair{0, 0}, term, AddNumbers{}, finish);
  T* dx = numbers.outputs[0].as<T>();
  for_each(queue, channels.rows * width, [=] __device__(Index i) {
    const Index c = i % width;
    dx[i] = dy[i] * static_cast<T>(by_dy[c]) + (x[i] - mean[c]) * static_cast<T>(by_x[c]) +
            static_cast<T>(shift[c]);
  });
}

template <class T>
void batch_norm_inference_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Channels channels = channels_of(numbers.inputs[0].spec.shape);
  const Scaling scaling = scaling_in(channels, numbers.workspace);
  const double epsilon = attributes_of(numbers).epsilon;
  const T *gamma = numbers.inputs[1].as<T>(), *beta = numbers.inputs[2].as<T>();
  const T *mean = numbers.inputs[3].as<T>(), *variance = numbers.inputs[4].as<T>();
  for_each(queue, channels.width, [=] __device__(Index c) {
    scaling.mean[c] = static_cast<double>(mean[c]);
    scaling.scale[c] = static_cast<double>(gamma[c]) / sqrt(static_cast<double>(variance[c]) + epsilon);
    scaling.shift[c] = static_cast<double>(beta[c]);
  });
  apply(channels, scaling, numbers.inputs[0].as<T>(), numbers.outputs[0].as<T>(), queue);
}

}  // namespace

void batch_norm(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_of<decltype(zero)>(numbers, queue); });
}
void batch_norm_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_gradient_of<decltype(zero)>(numbers, queue); });
}
void batch_norm_inference(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_inference_of<decltype(zero)>(numbers, queue); });
}

Bytes normalization_workspace(const Call& call) {
  const Channels channels = channels_of(call.outputs[0].shape);
  return Bytes(channels.workspace_bytes());
}

}  // namespace wt::cuda
