#include "kernel/cpu/loops/normalization.h"

#include "kernel/cpu/loops/copies.h"
#include "kernel/cpu/loops/lanes.h"

namespace wt::loops {
namespace {

using Index = std::int64_t;

template <class T>
void clear(T* values, Index count) {
  for (Index i = 0; i < count; ++i) values[i] = T(0);
}

// Passes twice over the rows, which are still in a cache the second time. The sum of squares minus the square
// of the sum, which takes one pass, would lose all digits by cancellation.
template <class T>
void moments(const T* x, Index rows, Index width, T* __restrict__ mean, T* __restrict__ squares) {
  clear(mean, width);
  clear(squares, width);
  for (Index row = 0; row < rows; ++row) {
    const T* __restrict__ values = x + row * width;
    for (Index i = 0; i < width; ++i) mean[i] += values[i];
  }
  for (Index i = 0; i < width; ++i) mean[i] /= static_cast<T>(rows);
  for (Index row = 0; row < rows; ++row) {
    const T* __restrict__ values = x + row * width;
    for (Index i = 0; i < width; ++i) squares[i] += (values[i] - mean[i]) * (values[i] - mean[i]);
  }
}

template <class T>
void apply(const T* x, T* y, Index rows, Index width, const T* mean, const T* scale, const T* shift) {
  for (Index row = 0; row < rows; ++row) {
    const T* in = x + row * width;
    T* out = y + row * width;
    WT_INDEPENDENT
    for (Index i = 0; i < width; ++i) out[i] = (in[i] - mean[i]) * scale[i] + shift[i];
  }
}

template <class T>
void gradient_sums(const T* dy, const T* x, Index rows, Index width, const T* __restrict__ mean,
                   T* __restrict__ sum, T* __restrict__ centered) {
  clear(sum, width);
  clear(centered, width);
  for (Index row = 0; row < rows; ++row) {
    const T* __restrict__ slopes = dy + row * width;
    const T* __restrict__ values = x + row * width;
    for (Index i = 0; i < width; ++i) {
      sum[i] += slopes[i];
      centered[i] += slopes[i] * (values[i] - mean[i]);
    }
  }
}

template <class T>
void gradient(const T* dy, const T* x, T* dx, Index rows, Index width, const T* mean, const T* by_dy,
              const T* by_x, const T* shift) {
  for (Index row = 0; row < rows; ++row) {
    const T* slopes = dy + row * width;
    const T* values = x + row * width;
    T* out = dx + row * width;
    WT_INDEPENDENT
    for (Index i = 0; i < width; ++i)
      out[i] = slopes[i] * by_dy[i] + (values[i] - mean[i]) * by_x[i] + shift[i];
  }
}

template <class T>
void row_moments(const T* x, Index width, T* mean, T* variance) {
  const T count = static_cast<T>(width);
  const T middle = sum_of<T>(width, [=](Index i) { return x[i]; }) / count;
  *mean = middle;
  *variance = sum_of<T>(width, [=](Index i) { return (x[i] - middle) * (x[i] - middle); }) / count;
}

template <class T>
void apply_to_row(const T* x, T* y, Index width, T mean, T inverse_deviation, const T* gamma, const T* beta) {
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i) y[i] = (x[i] - mean) * inverse_deviation * gamma[i] + beta[i];
}

template <class T>
void row_gradient(const T* __restrict__ dy, const T* __restrict__ x, T* __restrict__ dx, Index width, T mean,
                  T inverse_deviation, const T* __restrict__ gamma, T* __restrict__ dgamma,
                  T* __restrict__ dbeta) {
  const T count = static_cast<T>(width);
  const auto normalized = [=](Index i) { return (x[i] - mean) * inverse_deviation; };
  const T slope = sum_of<T>(width, [=](Index i) { return dy[i] * gamma[i]; }) / count;
  const T tilt = sum_of<T>(width, [=](Index i) { return dy[i] * gamma[i] * normalized(i); }) / count;
  for (Index i = 0; i < width; ++i) {
    dgamma[i] += dy[i] * normalized(i);
    dbeta[i] += dy[i];
    dx[i] = inverse_deviation * (dy[i] * gamma[i] - slope - normalized(i) * tilt);
  }
}

template <class T>
constexpr NormalizationOf<T> loops_of = {moments<T>,     apply<T>,        gradient_sums<T>, gradient<T>,
                                         row_moments<T>, apply_to_row<T>, row_gradient<T>};

constexpr Normalization normalization = {loops_of<float>, loops_of<double>};

}  // namespace

const Normalization& WT_COPY(normalization)() { return normalization; }

}  // namespace wt::loops
