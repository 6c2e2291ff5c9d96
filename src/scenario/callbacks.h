#pragma once

#include "scenario/build.h"

namespace wt::scenario {

// Reports what callbacks cannot watch or change in this training, before it begins: Keras finds it out at the end of
// the first epoch. Notes what they cannot do without numbers. Requires: the job has its model, optimizer and metrics.
void check_callbacks(const Scenario& scenario, Job& job, Problems& problems);

}  // namespace wt::scenario
