#pragma once
// A kernel's launch: its arguments are taken by value, as CUDA takes them, and looked through for addresses.

#include <cuda_runtime_api.h>

#include <functional>
#include <type_traits>
#include <vector>

#include "emulation/streams.h"
#include "emulation/threads.h"

namespace wt::emulation {

// Addresses in the argument of GPUs' or of page-locked memory.
void find_addresses(const void* argument, std::size_t size, std::vector<Touch>& found);

// Notes what is wrong for cudaGetLastError, as <<<>>> does.
void launch(unsigned grid, int block, cudaStream_t stream, std::vector<Touch> touches,
            std::function<void()> thread);

template <class... Parameters>
void launch(unsigned grid, int block, cudaStream_t stream, void (*kernel)(Parameters...),
            Parameters... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "CUDA copies arguments byte by byte");
  static_assert((sizeof(Parameters) + ... + 0) <= 4096, "CUDA has 4 KiB for arguments");
  std::vector<Touch> touches;
  (find_addresses(&arguments, sizeof(arguments), touches), ...);
  launch(grid, block, stream, std::move(touches), [=] { kernel(arguments...); });
}

}  // namespace wt::emulation
