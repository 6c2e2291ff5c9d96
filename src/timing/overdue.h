#pragma once
// Finds a collective that exceeds its timeout (communication_options.timeout) although all of its members
// take part, because one of them is late or the network is slow. In TensorFlow each member measures the time
// since its own entry, so the timeout of the first member to enter expires first.

#include <optional>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/several_steps.h"

namespace wt::timing {

// A collective that exceeds its timeout.
struct Overdue {
  int step = 0;              // index among the simulated steps
  std::string collective{};  // "all_reduce/0"
  std::string last{};        // the device that entered it last
  Seconds entered{};         // when the first device entered it, in the time of the simulation
  Seconds late{};            // time from the first entry to the last
  Seconds span{};            // time from the first entry to the end
};

// The collective whose timeout expires first. Absent: all collectives end in time.
std::optional<Overdue> first_overdue(const plan::Plan& plan, const plan::Timeline& timeline, Seconds timeout);
std::optional<Overdue> first_overdue(const SeveralSteps& steps, Seconds timeout);

}  // namespace wt::timing
