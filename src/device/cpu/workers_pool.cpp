#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "device/cpu/workers.h"

namespace wt::device {

// A thread pool. A call of run() is a job with a number, which wakes the threads. They take tiles from a
// shared counter until none is left. The calling thread is thread 0 and computes tiles, too. Everything
// except the counter is handed over under one mutex, which ThreadSanitizer understands.
struct Workers::Threads {
  std::mutex mutex{};
  std::condition_variable announced{};
  std::condition_variable finished{};
  std::uint64_t job = 0;  // how many jobs have been announced
  int busy = 0;           // threads that have not finished the current job
  bool closing = false;
  std::exception_ptr failure{};
  std::atomic<std::int64_t> next_tile{0};
  std::int64_t tiles = 0;
  Tile tile{};
  std::vector<std::thread> threads{};

  void work(std::span<std::byte> scratch) {
    try {
      for (std::int64_t index; (index = next_tile.fetch_add(1)) < tiles;)
        tile.function(tile.context, index, scratch);
    } catch (...) {
      next_tile = tiles;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  }

  void serve(std::span<std::byte> scratch) {
    for (std::uint64_t done = 0;;) {
      {
        std::unique_lock lock(mutex);
        announced.wait(lock, [&] { return closing || job > done; });
        if (closing) return;
        done = job;
      }
      work(scratch);
      const std::lock_guard lock(mutex);
      if (--busy == 0) finished.notify_one();
    }
  }
};

Workers::Workers(int threads)
    : threads_(useful(threads)), scratch_(allocate_scratch(threads_)), pool_(std::make_unique<Threads>()) {
  for (int thread = 1; thread < threads_; ++thread)
    pool_->threads.emplace_back([this, thread] { pool_->serve(scratch(thread)); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(pool_->mutex);
    pool_->closing = true;
  }
  pool_->announced.notify_all();
  for (std::thread& thread : pool_->threads) thread.join();
}

void Workers::run(std::int64_t tiles, Tile tile) {
  if (tiles == 1 || threads_ == 1) {
    for (std::int64_t index = 0; index < tiles; ++index) tile.function(tile.context, index, scratch(0));
    return;
  }
  {
    const std::lock_guard lock(pool_->mutex);
    pool_->next_tile = 0;
    pool_->tiles = tiles;
    pool_->tile = tile;
    pool_->busy = threads_ - 1;
    pool_->failure = nullptr;
    ++pool_->job;
  }
  pool_->announced.notify_all();
  pool_->work(scratch(0));
  std::unique_lock lock(pool_->mutex);
  pool_->finished.wait(lock, [&] { return pool_->busy == 0; });
  if (pool_->failure) std::rethrow_exception(pool_->failure);
}

}  // namespace wt::device
