#include "kernel/cpu/loops/loss.h"

#include "kernel/cpu/loops/copies.h"
#include "kernel/cpu/loops/lanes.h"
#include "kernel/element/loss.h"

namespace wt::loops {
namespace {

using Index = std::int64_t;

template <class T>
T mean_squared_error(const T* prediction, const T* target, Index width) {
  const T sum =
      sum_of<T>(width, [=](Index i) { return element::squared_difference(prediction[i], target[i]); });
  return sum / static_cast<T>(width);
}

template <class T>
void mean_squared_error_gradient(T dloss, const T* prediction, const T* target, T* dprediction, Index width) {
  const T scale = dloss * T(2) / static_cast<T>(width);
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i) dprediction[i] = (prediction[i] - target[i]) * scale;
}

template <class T>
T binary_cross_entropy(const T* logits, const T* labels, Index width) {
  const T sum =
      sum_of<T>(width, [=](Index i) { return element::binary_cross_entropy(logits[i], labels[i]); });
  return sum / static_cast<T>(width);
}

template <class T>
void binary_cross_entropy_gradient(T dloss, const T* logits, const T* labels, T* dlogits, Index width) {
  const T scale = dloss / static_cast<T>(width);
  WT_INDEPENDENT
  for (Index i = 0; i < width; ++i)
    dlogits[i] = element::binary_cross_entropy_slope(logits[i], labels[i]) * scale;
}

template <class T>
constexpr LossOf<T> loops_of = {mean_squared_error<T>, mean_squared_error_gradient<T>,
                                binary_cross_entropy<T>, binary_cross_entropy_gradient<T>};

constexpr Loss loss = {loops_of<float>, loops_of<double>};

}  // namespace

const Loss& WT_COPY(loss)() { return loss; }

}  // namespace wt::loops
