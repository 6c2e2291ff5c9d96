// Which runs are timed, and what is computed from their times. The clock is simulated: every task advances it
// by a time that the test sets.
#include "execute/measure.h"

#include <gtest/gtest.h>

#include "device/cpu/cpu_queue.h"
#include "device/stopwatch.h"
#include "program/operations.h"
#include "strategy/default.h"

namespace wt {
namespace {

// Runs tasks as a CpuQueue does. A task takes the next time of a list, which is repeated, and a mark takes no
// time.
class TimedQueue final : public device::Queue {
 public:
  TimedQueue(device::Workers& workers, std::vector<double> durations)
      : queue_(workers), durations_(std::move(durations)) {}

  device::Backend backend() const override { return queue_.backend(); }
  device::Memory& memory() override { return queue_.memory(); }

  void enqueue(device::Task task) override {
    queue_.enqueue(task);
    if (!capturing_ && task.run != mark_) now_ += Seconds(durations_[runs_++ % durations_.size()]);
  }
  device::Event record() override { return queue_.record(); }
  void wait(const device::Event& event) override { queue_.wait(event); }
  void synchronize() override {}
  void begin_capture() override {
    capturing_ = true;
    queue_.begin_capture();
  }
  device::Captured end_capture() override {
    capturing_ = false;
    return queue_.end_capture();
  }
  void replay(const device::Captured& captured) override {
    for (const device::Task& task : captured.tasks) enqueue(task);
  }
  std::unique_ptr<device::Stopwatch> stopwatch(std::size_t marks) override {
    auto made = device::stopwatch_by([this] { return now_; }, marks);
    mark_ = made->mark(0).run;
    return made;
  }

  std::size_t runs() const { return runs_; }

 private:
  device::CpuQueue queue_;
  std::vector<double> durations_;
  Seconds now_{};
  std::size_t runs_ = 0;
  bool capturing_ = false;
  decltype(device::Task::run) mark_ = nullptr;
};

const std::string relu_of_8 = "relu(float32[8]) -> float32[8]";
const std::string exp_of_8 = "exp(float32[8]) -> float32[8]";

// A step with the kernels relu, exp, relu.
plan::Plan three_kernels() {
  return strategy::lower_default(trace("t",
                                       [](Trace& trace) {
                                         const Symbol x = trace.input("x", {Type::float32, {8}});
                                         trace.result("y", relu(exp(relu(x))));
                                       }),
                                 {.name = "cpu:0"});
}

class Measure : public testing::Test {
 protected:
  execute::Measured measure(TimedQueue& queue, const execute::MeasureOptions& options,
                            const std::map<std::string, Seconds, std::less<>>& known = {}) {
    return execute::measure(plan_, plan::DeviceId{}, known, queue, options);
  }

  plan::Plan plan_ = three_kernels();
  device::Workers workers_{1};
};

TEST_F(Measure, TakesTheMedianOfAllRunsOfACallAfterTheWarmUp) {
  TimedQueue queue(workers_, {100, 100, 100,  // warm-up
                              1, 10, 2,       //
                              3, 30, 50,      //
                              4, 20, 5});
  const execute::Measured found =
      measure(queue, {.warm_up = 1, .at_least = 3, .at_most = 3, .long_enough = Seconds(0)});
  EXPECT_EQ(found.kernels, (std::map<std::string, Seconds, std::less<>>{{relu_of_8, Seconds(3.5)},
                                                                        {exp_of_8, Seconds(20)}}));
  EXPECT_EQ(found.rounds, 3);
  EXPECT_EQ(found.round, Seconds(29));  // 13, 83, 29
  EXPECT_EQ(found.expected, Seconds(27));
}

TEST_F(Measure, TakesTheFastestRunWhereThatIsWanted) {
  TimedQueue queue(workers_, {4, 20, 5, 3, 30, 50});
  EXPECT_EQ(
      measure(queue, {.warm_up = 0, .at_least = 2, .at_most = 2, .fastest = true}).kernels.at(relu_of_8),
      Seconds(3));
}

TEST_F(Measure, GoesOnUntilItMeasuredLongEnough) {
  TimedQueue queue(workers_, {0.25});
  EXPECT_EQ(measure(queue, {.warm_up = 2, .at_least = 5, .long_enough = Seconds(7.5)}).rounds, 10);
  EXPECT_EQ(queue.runs(), 3u * (2 + 10));
}

TEST_F(Measure, StopsAtTheMostRoundsHoweverShortTheyAre) {
  TimedQueue queue(workers_, {0});
  EXPECT_EQ(measure(queue, {.at_least = 5, .at_most = 30, .long_enough = Seconds(1)}).rounds, 30);
}

TEST_F(Measure, LeavesOutWhatIsKnown) {
  TimedQueue queue(workers_, {1});
  const execute::Measured found =
      measure(queue, {.warm_up = 0, .at_least = 5, .long_enough = Seconds(0)}, {{relu_of_8, Seconds(1)}});
  EXPECT_EQ(found.kernels.size(), 1u);
  EXPECT_TRUE(found.kernels.contains(exp_of_8));
  EXPECT_EQ(queue.runs(), 5u);
  EXPECT_EQ(measure(queue, {}, {{relu_of_8, Seconds(1)}, {exp_of_8, Seconds(1)}}).rounds, 0);
}

TEST_F(Measure, GivesMemoryToTheMeasuredDeviceAlone) {
  plan_.devices.push_back({.name = "cpu:1", .arena = Bytes(std::int64_t{1} << 60)});
  TimedQueue queue(workers_, {1});
  EXPECT_EQ(measure(queue, {.long_enough = Seconds(0)}).kernels.size(), 2u);
  EXPECT_EQ(execute::measure(plan_, plan::DeviceId{1}, {}, queue).rounds, 0);
}

}  // namespace
}  // namespace wt
