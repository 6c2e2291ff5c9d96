#pragma once
// What cuBLAS and cuDNN have in common: a handle that belongs to a device, remembers a stream, and leaves partial results
// in a workspace between two kernels.

#include <span>

#include "emulation/machine.h"

namespace wt::emulation {

struct LibraryHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
};

// The handle's stream, of its device, which must be the current one; null: it can't be used here.
std::shared_ptr<CUstream_st> stream_of(const LibraryHandle& handle);

// In two kernels: the first puts its mark on the workspace, the second works only if it finds it there still, and else
// does `spoil`: so a workspace that others use meanwhile shows in the numbers.
cudaError_t enqueue_in_workspace(Stream& stream, std::span<std::byte> workspace, Work work,
                                 std::function<void()> spoil);

}  // namespace wt::emulation
