#pragma once

#include "kernel/cuda/launch.cuh"

namespace wt::cuda {

template <class F>
__global__ void __launch_bounds__(threads) each(Index count, const __grid_constant__ F f) {
  const Index first = Index{blockIdx.x} * (threads * per_thread) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const Index i = first + k * threads;
    if (i < count) f(i);
  }
}

// Calls f(i) on the GPU for every i in [0, count), in any order.
template <class F>
void for_each(device::CudaQueue& queue, Index count, const F& f) {
  if (count == 0) return;
  launch(queue, "launch a kernel over elements", ceiling(count, threads * per_thread), threads, each<F>,
         count, f);
}

}  // namespace wt::cuda
