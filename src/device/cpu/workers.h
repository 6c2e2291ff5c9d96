#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace wt::device {

// The threads that run kernels on the CPU. A kernel divides its problem into tiles, whose shapes depend on
// the problem only and not on the number of threads. Each tile is computed by one thread, and tiles don't
// depend on each other. The results are therefore bit for bit the same for any number of threads.
//
//   workers.run(rows, [&](std::int64_t row, std::span<std::byte> scratch) { ... });
//
// There are two implementations, of which CMake links one (WT_WORKERS): one on top of oneTBB, and a small
// thread pool for ThreadSanitizer, which reports false races in Debian's oneTBB because that is not
// instrumented.
class Workers {
 public:
  // The size of the scratch memory of each thread, in which kernels pack blocks of their operands. It is the
  // counterpart of a GPU's shared memory: its size is the same for every kernel, and it is not part of a
  // plan's memory.
  static constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

  // At most as many threads as this machine has processors, or 64: more compute no faster, and the system may refuse
  // to start them, which oneTBB ends the program for.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  // Calls f(tile, scratch) for every tile in [0, tiles), and returns when all calls have returned. If f
  // throws, the exception is rethrown here.
  template <class F>
  void run(std::int64_t tiles, F&& f) {
    run(tiles, {[](void* context, std::int64_t tile, std::span<std::byte> scratch) {
                  (*static_cast<std::remove_reference_t<F>*>(context))(tile, scratch);
                },
                const_cast<void*>(static_cast<const void*>(&f))});
  }

 private:
  struct Tile {
    void (*function)(void* context, std::int64_t tile, std::span<std::byte> scratch) = nullptr;
    void* context = nullptr;
  };
  void run(std::int64_t tiles, Tile tile);
  std::span<std::byte> scratch(int thread);
  static std::unique_ptr<std::byte[]> allocate_scratch(int threads);
  static int useful(int threads);

  struct Threads;
  int threads_ = 1;
  std::unique_ptr<std::byte[]> scratch_;
  std::unique_ptr<Threads> pool_;
};

int hardware_threads();

}  // namespace wt::device
