#include "kernel/element/hash.h"

#include "kernel/cuda/each.cuh"
#include "kernel/cuda/kernels.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

template <class T>
void hash_of(const element::HashBucket& bucket, const Numbers& numbers, device::CudaQueue& queue) {
  const T* x = numbers.inputs[0].as<T>();
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  for_each(queue, numbers.inputs[0].spec.elements(),
           [=] __device__(Index i) { y[i] = bucket(static_cast<std::int64_t>(x[i])); });
}

}  // namespace

void hash_bucket(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& hash = attributes_as<HashAttributes>(numbers.attributes);
  const element::HashBucket bucket{hash.is_salted, static_cast<std::uint64_t>(hash.salt[0]),
                                   static_cast<std::uint64_t>(hash.salt[1]),
                                   static_cast<std::uint64_t>(hash.buckets)};
  with_number(numbers.inputs[0].spec.type,
              [&](auto zero) { hash_of<decltype(zero)>(bucket, numbers, queue); });
}

// TensorFlow looks tokens up on the CPU, also beside a GPU, and stops where one has no index. A GPU can stop as well, but its
// error names no token.
void known_index(const Numbers& numbers, device::CudaQueue& queue) {
  const std::int64_t* index = numbers.inputs[0].as<std::int64_t>();
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  for_each(queue, numbers.inputs[0].spec.elements(), [=] __device__(Index i) {
    if (index[i] < 0) give_up("when num_oov_indices is 0, all inputs are in the vocabulary");
    y[i] = index[i];
  });
}

}  // namespace wt::cuda
