#pragma once
// A collective that takes longer than it is given (communication_options.timeout), though all of its members come: one
// of them is late, or the network slow. TensorFlow's clock is each member's own; the first to enter is the first whose
// runs out.

#include <optional>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/several_steps.h"

namespace wt::timing {

struct Overdue {
  int step = 0;              // of those that were played, from 0
  std::string collective{};  // "all_reduce/0"
  std::string last{};        // the device that entered it last
  Seconds entered{};         // by the first, on the clock of what was played
  Seconds late{};            // the last behind the first
  Seconds span{};            // from the first to its end
};

// The one whose clock runs out first; none: all of them end in time.
std::optional<Overdue> first_overdue(const plan::Plan& plan, const plan::Timeline& timeline, Seconds timeout);
std::optional<Overdue> first_overdue(const SeveralSteps& steps, Seconds timeout);

}  // namespace wt::timing
