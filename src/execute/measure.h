#pragma once
// Measures the kernels of a plan on this machine. Each kernel runs at its place in the step, so that it finds
// the caches as its neighbours leave them, and it is launched as in a step.

#include <map>
#include <string>

#include "device/queue.h"
#include "plan/profile.h"

namespace wt::execute {

struct MeasureOptions {
  int warm_up = 2;           // first rounds, which do not count
  int at_least = 5;          // fewest rounds that count
  int at_most = 1000;        // most rounds that count
  Seconds long_enough{0.5};  // time of all rounds that count after which no more are run
  bool fastest = false;      // takes the fastest run instead of the median: the device without disturbances
};

struct Measured {
  std::map<std::string, Seconds, std::less<>> kernels{};  // by call: the median, or the fastest, of its runs
  int rounds = 0;
  Seconds round{};     // median time of a round, in which all kernels run once
  Seconds expected{};  // of a round: the sum of the times in `kernels`
};

// Runs the nodes of one device of the plan in their order, round by round, on memory of its own. Calls that
// are in `known` are left out. Other devices do nothing meanwhile. A round is captured together with marks of
// the queue's stopwatch; on a GPU the time of a kernel then includes the gap before it and no time of the
// host. Requires: what Execution requires of the plan and the queue.
Measured measure(const plan::Plan& plan, plan::DeviceId device,
                 const std::map<std::string, Seconds, std::less<>>& known, device::Queue& queue,
                 const MeasureOptions& options = {});

}  // namespace wt::execute
