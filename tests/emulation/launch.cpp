#include "emulation/launch.h"

#include <cstring>

#include "emulation/api/call.h"

namespace wt::emulation {

void find_addresses(const void* argument, std::size_t size, std::vector<Touch>& found) {
  const Memory& memory = machine().memory;
  for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(&word, static_cast<const std::byte*>(argument) + at, sizeof(word));
    if (memory.is_known(word)) found.push_back({word, 0});
  }
}

void launch(unsigned grid, int block, cudaStream_t handle, std::vector<Touch> touches,
            std::function<void()> thread) {
  call_on(handle, [&](Machine& m, Stream& stream) {
    if (stream.device != m.current) return cudaErrorInvalidResourceHandle;
    if (grid == 0 || grid >= 1U << 31 || block <= 0 || block > 1024) return cudaErrorInvalidConfiguration;
    const std::size_t threads = std::size_t{grid} * static_cast<std::size_t>(block);
    return m.enqueue(stream, {.device = stream.device,
                              .seconds = seconds_of(threads),
                              .touches = std::move(touches),
                              .run = [=, thread = std::move(thread)] { run(grid, block, thread); }});
  });
}

}  // namespace wt::emulation
