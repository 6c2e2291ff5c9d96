#include "device/cpu/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "device/cpu/cpu_queue.h"

namespace wt::device {
namespace {

TEST(Workers, RunEveryTileOnce) {
  for (const int threads : {1, 2, 8}) {
    Workers workers(threads);
    for (const std::int64_t tiles : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tiles));
      workers.run(tiles,
                  [&](std::int64_t tile, std::span<std::byte>) { ++runs[static_cast<std::size_t>(tile)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1) << threads << " threads, " << tiles << " tiles";
    }
  }
}

// So many threads would need a terabyte for their scratch memory alone, and no system starts them.
TEST(Workers, AreNoMoreThanCanHelp) {
  Workers workers(1'000'000);
  EXPECT_EQ(workers.threads(), std::max(64, hardware_threads()));
  std::atomic<int> tiles = 0;
  workers.run(1000, [&](std::int64_t, std::span<std::byte>) { ++tiles; });
  EXPECT_EQ(tiles, 1000);
}

TEST(Workers, GiveEachTileAScratchThatNoOtherTileWrites) {
  Workers workers(8);
  std::atomic<int> disturbed = 0;
  workers.run(500, [&](std::int64_t tile, std::span<std::byte> scratch) {
    EXPECT_EQ(scratch.size(), Workers::scratch_bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch.data()) % 64, 0u);
    const auto mark = static_cast<std::byte>(tile % 251);
    for (std::byte& each : scratch.first(4096)) each = mark;
    for (const std::byte each : scratch.first(4096)) disturbed += each != mark;
  });
  EXPECT_EQ(disturbed, 0);
}

TEST(Workers, HandTheExceptionOfATileToTheCallerAndGoOn) {
  for (const int threads : {1, 2, 8}) {
    Workers workers(threads);
    const auto fail = [](std::int64_t tile, std::span<std::byte>) {
      if (tile == 5) throw std::runtime_error("tile 5");
    };
    EXPECT_THROW(workers.run(100, fail), std::runtime_error) << threads << " threads";
    std::atomic<int> runs = 0;
    workers.run(100, [&](std::int64_t, std::span<std::byte>) { ++runs; });
    EXPECT_EQ(runs, 100);
  }
}

struct Note {
  std::vector<int>* log = nullptr;
  int number = 0;
};

Task task(const Note& note) {
  return {[](const void* work, Queue&) {
            const auto& noted = *static_cast<const Note*>(work);
            noted.log->push_back(noted.number);
          },
          &note};
}

TEST(CpuQueue, RunsTasksInTheOrderOfEnqueueing) {
  Workers workers(2);
  CpuQueue queue(workers);
  std::vector<int> log;
  const Note one{&log, 1}, two{&log, 2};
  queue.enqueue(task(one));
  queue.wait(queue.record());
  queue.enqueue(task(two));
  queue.synchronize();
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
}

TEST(CpuQueue, ReplaysWhatItCapturedAndRunsNothingMeanwhile) {
  Workers workers(1);
  CpuQueue queue(workers);
  std::vector<int> log;
  const Note one{&log, 1}, two{&log, 2};
  queue.begin_capture();
  queue.enqueue(task(one));
  queue.enqueue(task(two));
  const Captured captured = queue.end_capture();
  EXPECT_TRUE(log.empty());
  queue.replay(captured);
  queue.replay(captured);
  EXPECT_EQ(log, (std::vector<int>{1, 2, 1, 2}));
}

}  // namespace
}  // namespace wt::device
