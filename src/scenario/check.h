#pragma once

#include "scenario/scenario.h"

namespace wt::scenario {

// What one key alone can't tell: keys that contradict each other. Devices are checked when the scenario is
// built, since the platform has them.
void check(const Scenario& scenario, Problems& problems);

}  // namespace wt::scenario
