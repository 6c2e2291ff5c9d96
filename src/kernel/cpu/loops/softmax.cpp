#include "kernel/cpu/loops/softmax.h"

#include "kernel/cpu/loops/copies.h"
#include "kernel/cpu/loops/lanes.h"
#include "kernel/element/exponential.h"

namespace wt::loops {
namespace {

using namespace element;
using Index = std::int64_t;

// A NaN may be lost here: its exponential is NaN in any case, and so is the sum.
template <class T>
T maximum_of(const T* x, Index width) {
  T lane[lanes];
  for (Index i = 0; i < lanes; ++i) lane[i] = x[0];
  const Index whole = width - width % lanes;
  for (Index first = 0; first < whole; first += lanes)
    for (Index i = 0; i < lanes; ++i) lane[i] = x[first + i] > lane[i] ? x[first + i] : lane[i];
  T maximum = x[0];
  for (Index i = whole; i < width; ++i) maximum = x[i] > maximum ? x[i] : maximum;
  for (Index i = 0; i < lanes; ++i) maximum = lane[i] > maximum ? lane[i] : maximum;
  return maximum;
}

template <class T>
T exponentials(const T* x, T* y, Index width, T* maximum) {
  const T largest = maximum_of(x, width);
  *maximum = largest;
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i) y[i] = exponential(x[i] - largest);
  return sum_of<T>(width, [=](Index i) { return y[i]; });
}

template <class T>
void divide(T* y, Index width, T divisor) {
  for (Index i = 0; i < width; ++i) y[i] /= divisor;
}

template <class T>
void gradient(const T* dy, const T* y, T* dx, Index width) {
  const T sum = sum_of<T>(width, [=](Index i) { return dy[i] * y[i]; });
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i) dx[i] = (dy[i] - sum) * y[i];
}

template <class T>
T cross_entropy(const T* logits, const T* labels, T* backprop, Index width, T maximum, T sum) {
  const T log_sum = logarithm(sum);
  const T loss = sum_of<T>(width, [=](Index i) { return labels[i] * (log_sum - (logits[i] - maximum)); });
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i) backprop[i] = backprop[i] / sum - labels[i];
  return loss;
}

template <class T>
constexpr SoftmaxOf<T> loops_of = {exponentials<T>, divide<T>, gradient<T>, cross_entropy<T>};

constexpr Softmax softmax = {loops_of<float>, loops_of<double>};

}  // namespace

const Softmax& WT_COPY(softmax)() { return softmax; }

}  // namespace wt::loops
