#pragma once

#include <span>

#include "kernel/cuda/cut.h"
#include "kernel/cuda/each.cuh"

namespace wt::cuda {

// A block computes cut.width() results, or one piece of each. Its threads combine their terms in order, then
// their values in a tree in shared memory.
template <class A, class Term, class Combine, class Finish>
__global__ void __launch_bounds__(threads)
    reduce_pieces(Cut cut, int width, A start, A* partials, const __grid_constant__ Term term,
                  const Combine combine, const __grid_constant__ Finish finish) {
  __shared__ A values[threads];
  const int t = static_cast<int>(threadIdx.x);
  const int own = cut.along ? t / cut.height : t % width;
  const int first = cut.along ? t % cut.height : t / width;
  const Index piece = Index{blockIdx.x} % cut.pieces;
  const Index result = Index{blockIdx.x} / cut.pieces * width + own;
  const bool is_there = result < cut.results;

  A all = start;
  const Index end = is_there ? cut.length * (piece + 1) / cut.pieces : 0;
  for (Index i = cut.length * piece / cut.pieces + first; i < end; i += cut.height)
    all = combine(all, term(result, i));

  values[first * width + own] = all;
  for (int half = cut.height / 2; half > 0; half /= 2) {
    __syncthreads();
    if (first < half)
      values[first * width + own] =
          combine(values[first * width + own], values[(first + half) * width + own]);
  }
  if (first != 0 || !is_there) return;
  if (cut.pieces > 1)
    partials[piece * cut.results + result] = values[own];
  else
    finish(result, values[own]);
}

// Combines term(r, 0), term(r, 1), ... for every result r and calls finish(r, combined). The terms are
// combined in the tree that the cut describes, without atomic operations, so the bits are the same every
// time. Requires: `combine` is associative except for rounding, and `start` is its neutral element.
template <class A, class Term, class Combine, class Finish>
void reduce(device::CudaQueue& queue, const Cut& cut, std::span<std::byte> workspace, A start,
            const Term& term, const Combine& combine, const Finish& finish) {
  if (cut.results == 0) return;
  const Index needed = cut.partials() * static_cast<Index>(sizeof(A));
  WT_EXPECT(needed <= static_cast<Index>(workspace.size()),
            "a reduction needs {} bytes of workspace and has {}", needed, workspace.size());
  A* partials = reinterpret_cast<A*>(workspace.data());
  launch(queue, "launch a reduction", cut.grid(), threads, reduce_pieces<A, Term, Combine, Finish>, cut,
         cut.width(), start, partials, term, combine, finish);
  if (cut.pieces == 1) return;
  const Index results = cut.results, pieces = cut.pieces;
  for_each(queue, results, [=] __device__(Index result) {
    A all = partials[result];
    for (Index piece = 1; piece < pieces; ++piece) all = combine(all, partials[piece * results + result]);
    finish(result, all);
  });
}

// Two sums that are taken in one pass.
struct Pair {
  double first, second;
};

struct AddNumbers {
  __device__ double operator()(double a, double b) const { return a + b; }
  __device__ Pair operator()(const Pair& a, const Pair& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

}  // namespace wt::cuda
