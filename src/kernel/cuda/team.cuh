#pragma once

#include "kernel/cuda/launch.cuh"

namespace wt::cuda {

// The threads that work on one row together: a warp or a block. Each thread has a Team with its own lane.
struct Team {
  int lane = 0;
  int size = warp;

  // Combines the values of all threads and returns the result to each of them. The order depends on the size
  // of the team alone. Requires: `combine` is commutative, so that every thread gets the same bits.
  template <class T, class Combine>
  __device__ T reduce(T value, const Combine& combine) const {
    for (int step = warp / 2; step > 0; step /= 2)
      value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
    if (size == warp) return value;
    __shared__ T of_warp[threads / warp];
    __syncthreads();  // every thread has read the result of the last reduction
    if (lane % warp == 0) of_warp[lane / warp] = value;
    __syncthreads();
    value = of_warp[0];
    for (int i = 1; i < threads / warp; ++i) value = combine(value, of_warp[i]);
    return value;
  }

  // The sum of term(i) for i in [0, width).
  template <class T, class Term>
  __device__ T sum(Index width, const Term& term) const {
    T all{};
    for (Index i = lane; i < width; i += size) all += term(i);
    return reduce(all, [](T a, T b) { return a + b; });
  }
};

template <class F>
__global__ void __launch_bounds__(threads) each_row(Index rows, int size, const __grid_constant__ F f) {
  const int t = static_cast<int>(threadIdx.x);
  const Index row = Index{blockIdx.x} * (threads / size) + t / size;
  if (row < rows) f(row, Team{t % size, size});
}

// Calls f(row, team) for every row, on every thread of the row's team.
template <class F>
void for_each_row(device::CudaQueue& queue, Index rows, Index width, const F& f) {
  if (rows == 0) return;
  const int size = team_size(width);
  launch(queue, "launch a kernel over rows", ceiling(rows, threads / size), threads, each_row<F>, rows, size,
         f);
}

}  // namespace wt::cuda
