#include "kernel/cuda/kernels.h"

#include "kernel/cuda/each.cuh"
#include "kernel/element/optimizer.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// An id that is not in the table gives zeros, as in TensorFlow on a GPU. The CPU throws an error that names
// the id, but a GPU cannot stop the program.
template <class T, class Id>
void look_up(const Numbers& numbers, device::CudaQueue& queue) {
  const Index rows = numbers.inputs[1].spec.shape[0], width = numbers.inputs[1].spec.shape[1];
  const Id* ids = numbers.inputs[0].as<Id>();
  const T* table = numbers.inputs[1].as<T>();
  T* y = numbers.outputs[0].as<T>();
  for_each(queue, numbers.outputs[0].spec.elements(), [=] __device__(Index i) {
    const auto id = static_cast<Index>(ids[i / width]);
    y[i] = id >= 0 && id < rows ? table[id * width + i % width] : T{0};
  });
}

// A warp owns a row of the table. It reads all ids, which its block fetches together, and adds up the slopes
// of its own id in order. That is the order of the CPU, and it needs no atomic additions.
template <class T, class Id>
__global__ void __launch_bounds__(threads)
    add_up(const Id* ids, Index count, const T* dy, T* table, Index rows, Index width) {
  __shared__ Id chunk[threads];
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const Index row = Index{blockIdx.x} * (threads / warp) + threadIdx.x / warp;
  T* own = table + row * width;
  if (row < rows)
    for (Index c = lane; c < width; c += warp) own[c] = 0;
  for (Index begin = 0; begin < count; begin += threads) {
    __syncthreads();  // every warp has read the last chunk
    if (begin + threadIdx.x < count) chunk[threadIdx.x] = ids[begin + threadIdx.x];
    __syncthreads();
    const Index size = min(Index{threads}, count - begin);
    for (Index first = 0; first < size; first += warp) {
      const bool is_mine =
          row < rows && first + lane < size && static_cast<Index>(chunk[first + lane]) == row;
      for (unsigned found = __ballot_sync(0xffffffffU, is_mine); found != 0; found &= found - 1) {
        const T* slope = dy + (begin + first + __ffs(static_cast<int>(found)) - 1) * width;
        for (Index c = lane; c < width; c += warp) own[c] += slope[c];
      }
    }
  }
}

template <class T, class Id>
void embedding_gradient_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Index rows = numbers.outputs[0].spec.shape[0], width = numbers.outputs[0].spec.shape[1];
  if (rows == 0 || width == 0) return;
  launch(queue, "launch an embedding's gradient", ceiling(rows, threads / warp), threads, add_up<T, Id>,
         numbers.inputs[0].as<Id>(), numbers.inputs[0].spec.elements(), numbers.inputs[1].as<T>(),
         numbers.outputs[0].as<T>(), rows, width);
}

// A warp owns an id if no earlier id is equal. It adds the slopes of all equal ids in their order, column by
// column, and updates the row. Ids are few where this kernel is called, so every warp may read all of them.
template <class T, class Id>
__global__ void __launch_bounds__(threads) update_rows(const Id* ids, Index count, const T* dy, T* table,
                                                       Index rows, Index width, const T* learning_rate) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const Index own = Index{blockIdx.x} * (threads / warp) + threadIdx.x / warp;
  if (own >= count) return;
  const auto id = static_cast<Index>(ids[own]);
  if (id < 0 || id >= rows) return;
  for (Index first = 0; first < own; first += warp) {
    const bool is_earlier = first + lane < own && static_cast<Index>(ids[first + lane]) == id;
    if (__ballot_sync(0xffffffffU, is_earlier) != 0) return;
  }
  element::SgdStep<T> step{};
  step.learning_rate = *learning_rate;
  for (Index c = lane; c < width; c += warp) {
    T sum = 0;
    for (Index i = own; i < count; ++i)
      if (static_cast<Index>(ids[i]) == id) sum += dy[i * width + c];
    element::sgd<false>(table[id * width + c], sum, step);
  }
}

template <class T, class Id>
void update_rows_of(const Numbers& numbers, device::CudaQueue& queue) {
  const Index rows = numbers.inputs[0].spec.shape[0], width = numbers.inputs[0].spec.shape[1];
  const Index count = numbers.inputs[1].spec.elements();
  const T* old = numbers.inputs[0].as<T>();
  T* table = numbers.outputs[0].as<T>();
  if (table != old) for_each(queue, rows * width, [=] __device__(Index i) { table[i] = old[i]; });
  if (count == 0 || width == 0) return;
  launch(queue, "launch an update of a table's rows", ceiling(count, threads / warp), threads,
         update_rows<T, Id>, numbers.inputs[1].as<Id>(), count, numbers.inputs[2].as<T>(), table, rows, width,
         numbers.inputs[3].as<T>());
}

}  // namespace

void apply_sgd_update_rows(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[1].spec.type,
               [&](auto id) { update_rows_of<decltype(zero), decltype(id)>(numbers, queue); });
  });
}

void embedding(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[0].spec.type,
               [&](auto id) { look_up<decltype(zero), decltype(id)>(numbers, queue); });
  });
}

void embedding_gradient(const Numbers& numbers, device::CudaQueue& queue) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[0].spec.type,
               [&](auto id) { embedding_gradient_of<decltype(zero), decltype(id)>(numbers, queue); });
  });
}

}  // namespace wt::cuda
