#pragma once

#include "scenario/scenario.h"

namespace wt::scenario {

// What one key alone can't tell: keys that contradict each other. Devices are checked when the scenario is
// built, since the platform has them.
void check(const Scenario& scenario, Problems& problems);

// What is wrong with the platform that is named or written here.
void check_platform(const Scenario& scenario, Problems& problems);

// What is only a matter of time: that something is timed, and that it is of this strategy.
void check_time(const Scenario& scenario, Problems& problems);

}  // namespace wt::scenario
