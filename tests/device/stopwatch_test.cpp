// Claim: a stopwatch measures the time between marks, for tasks that run at once and for captured tasks.
#include "device/stopwatch.h"

#include <gtest/gtest.h>

#include "device/cpu/cpu_queue.h"

namespace wt::device {
namespace {

// A task that advances the clock.
struct Pastime {
  Seconds* now = nullptr;
  Seconds takes{};
  Task task() const {
    return {[](const void* work, Queue&) {
              const auto& pastime = *static_cast<const Pastime*>(work);
              *pastime.now += pastime.takes;
            },
            this};
  }
};

class StopwatchTest : public testing::Test {
 protected:
  Workers workers_{1};
  CpuQueue queue_{workers_};
  Seconds now_{100};
};

TEST_F(StopwatchTest, MeasuresTheTimeBetweenAnyTwoMarks) {
  const auto stopwatch = stopwatch_by([this] { return now_; }, 3);
  const Pastime two{&now_, Seconds(2)}, five{&now_, Seconds(5)};
  for (const Task& task :
       {stopwatch->mark(0), two.task(), stopwatch->mark(1), five.task(), stopwatch->mark(2)})
    queue_.enqueue(task);
  EXPECT_EQ(stopwatch->between(0, 1), Seconds(2));
  EXPECT_EQ(stopwatch->between(1, 2), Seconds(5));
  EXPECT_EQ(stopwatch->between(0, 2), Seconds(7));
}

TEST_F(StopwatchTest, MeasuresTheLastReplay) {
  const auto stopwatch = stopwatch_by([this] { return now_; }, 2);
  Pastime pastime{&now_, Seconds(1)};
  queue_.begin_capture();
  for (const Task& task : {stopwatch->mark(0), pastime.task(), stopwatch->mark(1)}) queue_.enqueue(task);
  const Captured captured = queue_.end_capture();
  for (const double takes : {3.0, 8.0}) {
    pastime.takes = Seconds(takes);
    now_ += Seconds(50);  // between two replays
    queue_.replay(captured);
    EXPECT_EQ(stopwatch->between(0, 1), Seconds(takes));
  }
}

TEST_F(StopwatchTest, OfACpuGoesForward) {
  const auto stopwatch = queue_.stopwatch(3);
  for (std::size_t i = 0; i < 3; ++i) queue_.enqueue(stopwatch->mark(i));
  EXPECT_GE(stopwatch->between(0, 1), Seconds(0));
  EXPECT_GE(stopwatch->between(0, 2), stopwatch->between(1, 2));
}

}  // namespace
}  // namespace wt::device
