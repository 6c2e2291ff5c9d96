#pragma once

#include "scenario/scenario.h"

namespace wt::scenario {

// How a strategy asks about keys of its scenario, and reports problems at them. Requires: the arguments
// outlive the result.
strategy::IsGiven is_given(const Scenario& scenario);
strategy::Report report_to(Problems& problems, const Scenario& scenario);

// Checks keys against each other. Devices are checked when the scenario is built, since the platform has
// them.
void check(const Scenario& scenario, Problems& problems);

// Checks the platform that the scenario names or describes.
void check_platform(const Scenario& scenario, Problems& problems);

// Checks keys that say how checkpoints are saved, and which storage they share with rows.
void check_saving(const Scenario& scenario, Problems& problems);

// Checks keys that matter for time only: something has to be timed, and the strategy has to have such a time.
void check_time(const Scenario& scenario, Problems& problems);

}  // namespace wt::scenario
