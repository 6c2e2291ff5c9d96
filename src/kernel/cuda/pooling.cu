#include "kernel/cuda/kernels.h"

#include "kernel/cuda/each.cuh"
#include "kernel/cuda/images.h"
#include "kernel/types.h"

// Gradients are gathered: the thread of a pixel adds up the slopes of the windows that see the pixel. It
// takes them in the order in which the CPU distributes them, so the bits are those of the CPU, and no two
// threads add to one element.

namespace wt::cuda {
namespace {

struct Pooling {
  Axis height{}, width{};
  Index channels = 1;

  // The pixels of an axis that the window over one output sees.
  __device__ static Index begin(const Axis& axis, Index out) { return max(axis.pixel(out, 0), Index{0}); }
  __device__ static Index end(const Axis& axis, Index out) {
    return min(axis.pixel(out, axis.window), axis.input);
  }

  __device__ Index pixel(Index image, Index row, Index column, Index channel) const {
    return ((image * height.input + row) * width.input + column) * channels + channel;
  }
  __device__ Index output(Index image, Index row, Index column, Index channel) const {
    return ((image * height.output + row) * width.output + column) * channels + channel;
  }
  __device__ ImagePlace of_pixel(Index element) const {
    return image_place(element, height.input, width.input, channels);
  }
  __device__ ImagePlace of_output(Index element) const {
    return image_place(element, height.output, width.output, channels);
  }
};

Pooling pooling_of(const TensorSpec& x, const Attributes& attributes) {
  const SlidingWindow window = slide("pooling", x, attributes_as<WindowAttributes>(attributes));
  return {axis_of(window.height), axis_of(window.width), x.shape[3]};
}

// The maximum of a window with a NaN is NaN, so that a NaN reaches the loss.
template <class T>
void largest(const Numbers& numbers, device::CudaQueue& queue) {
  const Pooling p = pooling_of(numbers.inputs[0].spec, numbers.attributes);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(), [=] __device__(Index i) {
    const ImagePlace at = p.of_output(i);
    const Index top = p.begin(p.height, at.row), left = p.begin(p.width, at.column);
    T most = x[p.pixel(at.image, top, left, at.channel)];
    for (Index row = top; row < p.end(p.height, at.row); ++row)
      for (Index column = left; column < p.end(p.width, at.column); ++column) {
        const T tap = x[p.pixel(at.image, row, column, at.channel)];
        most = tap > most || tap != tap ? tap : most;
      }
    y[i] = most;
  });
}

// Whether the pixel is the first one of the window that is not below the window's maximum.
template <class T>
__device__ bool is_first_largest(const Pooling& p, const T* x, const ImagePlace& at, Index out_row,
                                 Index out_column, T most) {
  for (Index row = p.begin(p.height, out_row); row <= at.row; ++row) {
    const Index end = row < at.row ? p.end(p.width, out_column) : at.column;
    for (Index column = p.begin(p.width, out_column); column < end; ++column)
      if (!(x[p.pixel(at.image, row, column, at.channel)] < most)) return false;
  }
  return !(x[p.pixel(at.image, at.row, at.column, at.channel)] < most);
}

template <class T>
void largest_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  const Pooling p = pooling_of(numbers.inputs[0].spec, numbers.attributes);
  const T *x = numbers.inputs[0].as<T>(), *y = numbers.inputs[1].as<T>(), *dy = numbers.inputs[2].as<T>();
  T* dx = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(), [=] __device__(Index i) {
    const ImagePlace at = p.of_pixel(i);
    T all = 0;
    for (Index row = p.height.first_window(at.row); row < p.height.end_window(at.row); ++row)
      for (Index column = p.width.first_window(at.column); column < p.width.end_window(at.column); ++column) {
        const Index out = p.output(at.image, row, column, at.channel);
        if (is_first_largest(p, x, at, row, column, y[out])) all += dy[out];
      }
    dx[i] = all;
  });
}

__device__ Index taken(const Pooling& p, Index out_row, Index out_column) {
  return (p.end(p.height, out_row) - p.begin(p.height, out_row)) *
         (p.end(p.width, out_column) - p.begin(p.width, out_column));
}

template <class T>
void average(const Numbers& numbers, device::CudaQueue& queue) {
  const Pooling p = pooling_of(numbers.inputs[0].spec, numbers.attributes);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(), [=] __device__(Index i) {
    const ImagePlace at = p.of_output(i);
    T all = 0;
    for (Index row = p.begin(p.height, at.row); row < p.end(p.height, at.row); ++row)
      for (Index column = p.begin(p.width, at.column); column < p.end(p.width, at.column); ++column)
        all += x[p.pixel(at.image, row, column, at.channel)];
    y[i] = all / static_cast<T>(taken(p, at.row, at.column));
  });
}

template <class T>
void average_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  const Pooling p = pooling_of(numbers.outputs[0].spec, numbers.attributes);
  const T* dy = numbers.inputs[0].as<T>();
  T* dx = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(), [=] __device__(Index i) {
    const ImagePlace at = p.of_pixel(i);
    T all = 0;
    for (Index row = p.height.first_window(at.row); row < p.height.end_window(at.row); ++row)
      for (Index column = p.width.first_window(at.column); column < p.width.end_window(at.column); ++column)
        all +=
            dy[p.output(at.image, row, column, at.channel)] * (T(1) / static_cast<T>(taken(p, row, column)));
    dx[i] = all;
  });
}

}  // namespace

void max_pool(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) { largest<decltype(zero)>(numbers, queue); });
}
void max_pool_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { largest_gradient<decltype(zero)>(numbers, queue); });
}
void average_pool(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) { average<decltype(zero)>(numbers, queue); });
}
void average_pool_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { average_gradient<decltype(zero)>(numbers, queue); });
}

}  // namespace wt::cuda
