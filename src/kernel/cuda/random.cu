#include "kernel/cuda/kernels.h"

#include "base/philox.h"
#include "kernel/cuda/each.cuh"
#include "kernel/element/dropout.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

double rate_of(const Numbers& numbers) { return attributes_as<DropoutAttributes>(numbers.attributes).rate; }

// A block of four random words. Element i takes word i % 4 of block i / 4, as on the CPU. The seed is read from the
// device's memory, since it changes from step to step.
__device__ PhiloxWords words_of(const std::int64_t* seed, Index block) {
  const PhiloxWords stream =
      scrambled(static_cast<std::uint64_t>(seed[0]), static_cast<std::uint64_t>(seed[1]));
  const PhiloxWords begin{{0, 0, stream.word[2], stream.word[3]}};
  return philox_words(philox_counter_after(begin, static_cast<std::uint64_t>(block)), stream.word[0],
                      stream.word[1]);
}

// A thread draws one block.
template <class T>
void dropout_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Index elements = numbers.inputs[0].spec.elements();
  const T* x = numbers.inputs[0].as<T>();
  const std::int64_t* seed = numbers.inputs[1].as<std::int64_t>();
  T* y = numbers.outputs[0].as<T>();
  bool* mask = numbers.outputs[1].as<bool>();
  const std::uint32_t least = element::least_kept(rate_of(numbers));
  const T scale = static_cast<T>(1 / (1 - rate_of(numbers)));
  for_each(queue, ceiling(elements, 4), [=] __device__(Index block) {
    const PhiloxWords words = words_of(seed, block);
    for (int word = 0; word < 4; ++word) {
      const Index i = 4 * block + word;
      if (i >= elements) return;
      mask[i] = element::is_kept(words.word[word], least);
      y[i] = mask[i] ? x[i] * scale : T{0};
    }
  });
}

template <class T>
void dropout_gradient_of(const Numbers& numbers, device::CudaQueue& queue) {
  const T* dy = numbers.inputs[0].as<T>();
  const bool* mask = numbers.inputs[1].as<bool>();
  T* dx = numbers.outputs[0].as<T>();
  const T scale = static_cast<T>(1 / (1 - rate_of(numbers)));
  for_each(queue, numbers.inputs[0].spec.elements(),
           [=] __device__(Index i) { dx[i] = mask[i] ? dy[i] * scale : T{0}; });
}

template <class T>
void uniform_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Index elements = numbers.outputs[0].spec.elements();
  const std::int64_t* seed = numbers.inputs[0].as<std::int64_t>();
  T* y = numbers.outputs[0].as<T>();
  const T value = static_cast<T>(attributes_as<FillAttributes>(numbers.attributes).value);
  for_each(queue, ceiling(elements, 4), [=] __device__(Index block) {
    const PhiloxWords words = words_of(seed, block);
    for (int word = 0; word < 4 && 4 * block + word < elements; ++word)
      y[4 * block + word] = element::uniform_of<T>(words.word[word]) * value;
  });
}

}  // namespace

void dropout(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) { dropout_of<decltype(zero)>(numbers, queue); });
}
void dropout_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { dropout_gradient_of<decltype(zero)>(numbers, queue); });
}

void uniform(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) { uniform_of<decltype(zero)>(numbers, queue); });
}

}  // namespace wt::cuda
