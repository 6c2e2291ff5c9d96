#pragma once
// A GPU's threads on the CPU, one block after the other: so the CUDA kernels are tested where there is no GPU. The threads
// of a block take turns; one runs until it must wait for others. Says nothing about speed, or about races between
// blocks; threads that wait for ever are an error.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace wt::emulation {

struct Index3 {
  unsigned x = 0;
};

// Runs `thread` on `block` threads of `grid` blocks.
void run(std::int64_t grid, int block, const std::function<void()>& thread);

void wait_for_block();
// Hands a value to thread lane ^ step of the same warp.
void exchange(void* value, std::size_t size, int step);
unsigned vote(bool yes);

}  // namespace wt::emulation

inline wt::emulation::Index3 threadIdx, blockIdx;

#define __global__
#define __device__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(threads)

inline void __syncthreads() { wt::emulation::wait_for_block(); }
inline unsigned __ballot_sync(unsigned, bool yes) { return wt::emulation::vote(yes); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int step) {
  wt::emulation::exchange(&value, sizeof(T), step);
  return value;
}

inline std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
