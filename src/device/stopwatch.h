#pragma once
// How long a queue's tasks take, by the clock of the device that runs them.

#include <cstddef>
#include <functional>
#include <memory>

#include "base/quantity.h"
#include "device/queue.h"

namespace wt::device {

// Moments among a queue's tasks. To note one is a task itself, so that it is captured and replayed with the others: a
// GPU then gets many kernels at once, and none of the host's time lies between them.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  // Notes moment i when all before it has run. Requires: i is among those the stopwatch was made for, and the stopwatch
  // outlives the task.
  virtual Task mark(std::size_t i) const = 0;

  // From moment i to moment j, as they were noted last. Requires: the queue has been synchronized since.
  virtual Seconds between(std::size_t i, std::size_t j) const = 0;
};

using Clock = std::function<Seconds()>;  // since some moment
Clock steady_clock();

// Looks at the clock when a mark runs: for queues that run a task while it is enqueued.
std::unique_ptr<Stopwatch> stopwatch_by(Clock clock, std::size_t marks);

}  // namespace wt::device
