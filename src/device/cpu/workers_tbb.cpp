#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "device/cpu/workers.h"

namespace wt::device {

// A oneTBB arena with the requested number of threads. They may be more than the machine has cores, as in
// tests that run 8 threads on 2 cores.
struct Workers::Threads {
  explicit Threads(int count)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)), arena(count) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

Workers::Workers(int threads)
    : threads_(useful(threads)),
      scratch_(allocate_scratch(threads_)),
      pool_(std::make_unique<Threads>(threads_)) {}

Workers::~Workers() = default;

void Workers::run(std::int64_t tiles, Tile tile) {
  if (tiles == 1 || threads_ == 1) {
    for (std::int64_t index = 0; index < tiles; ++index) tile.function(tile.context, index, scratch(0));
    return;
  }
  pool_->arena.execute([&] {
    tbb::parallel_for(
        std::int64_t{0}, tiles,
        [&](std::int64_t index) {
          tile.function(tile.context, index, scratch(tbb::this_task_arena::current_thread_index()));
        },
        tbb::simple_partitioner{});
  });
}

}  // namespace wt::device
