#pragma once
// How long a plan's kernels really take, each in its place in the step, so that it finds the caches as its
// neighbours leave them, and launched as a step is.

#include <map>
#include <string>

#include "device/queue.h"
#include "plan/profile.h"

namespace wt::execute {

struct MeasureOptions {
  int warm_up = 2;  // rounds that don't count
  int at_least = 5;
  int at_most = 1000;
  Seconds long_enough{0.5};  // of all rounds that count, when there were enough
  bool fastest = false;      // instead of the median: what the device can do when nothing disturbs it
};

struct Measured {
  std::map<std::string, Seconds, std::less<>> kernels{};  // by call: the median of its runs
  int rounds = 0;
  Seconds round{};     // all kernels once, with whatever disturbed them: the median
  Seconds expected{};  // a round by the kernels' own times
};

// Runs what one device of the plan does, in its order, round by round, on memory of its own; calls that are
// `known` already are left out. Other devices stand still, so it has the machine for itself. A round is captured with
// marks of the queue's stopwatch in it: on a GPU a kernel's time has the gap before it, and nothing of the host's.
// Requires: as for Execution.
Measured measure(const plan::Plan& plan, plan::DeviceId device,
                 const std::map<std::string, Seconds, std::less<>>& known, device::Queue& queue,
                 const MeasureOptions& options = {});

}  // namespace wt::execute
