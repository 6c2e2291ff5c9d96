#include "device/cpu/workers.h"

#include <algorithm>
#include <thread>

namespace wt::device {

namespace {
constexpr std::size_t line = 64;
}

// Allocates one cache line more than needed, so that the scratch memory of every thread can begin at a cache
// line. The memory is left as it is: a thread that never runs a tile takes none.
std::unique_ptr<std::byte[]> Workers::allocate_scratch(int threads) {
  return std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(threads) * Workers::scratch_bytes + line);
}

int Workers::useful(int threads) { return std::min(threads, std::max(64, hardware_threads())); }

std::span<std::byte> Workers::scratch(int thread) {
  const auto start = reinterpret_cast<std::uintptr_t>(scratch_.get());
  std::byte* aligned = scratch_.get() + (line - start % line) % line;
  return {aligned + static_cast<std::size_t>(thread) * scratch_bytes, scratch_bytes};
}

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace wt::device
