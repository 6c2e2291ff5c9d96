#pragma once
// Measures how long the tasks of a queue take, with the clock of the device that runs them.
//
//   const auto watch = queue.stopwatch(2);
//   queue.enqueue(watch->mark(0));
//   queue.enqueue(kernel);
//   queue.enqueue(watch->mark(1));
//   queue.synchronize();
//   const Seconds time = watch->between(0, 1);

#include <cstddef>
#include <functional>
#include <memory>

#include "base/quantity.h"
#include "device/queue.h"

namespace wt::device {

// Marks between the tasks of a queue. Recording the time of a mark is a task itself, so marks are captured
// and replayed together with kernels. A GPU then gets many kernels at once, and the measured times don't
// contain time of the host.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  // A task that records the time of mark i when all tasks before it have run. Requires: i is less than the
  // number of marks, and the stopwatch outlives the task.
  virtual Task mark(std::size_t i) const = 0;

  // The time from mark i to mark j when they were last recorded. Requires: the queue has been synchronized
  // since then.
  virtual Seconds between(std::size_t i, std::size_t j) const = 0;
};

using Clock = std::function<Seconds()>;  // the time since a fixed moment
Clock steady_clock();

// A stopwatch that reads the clock when a mark runs, for queues that run a task while it is enqueued.
std::unique_ptr<Stopwatch> stopwatch_by(Clock clock, std::size_t marks);

}  // namespace wt::device
