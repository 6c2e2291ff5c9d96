#pragma once
// What a scenario's faults mean for its replicas and tasks.

#include "scenario/machine.h"
#include "timing/faults.h"

namespace wt::scenario {

// Throws InputError, with every problem at its key, for names that nothing has, and for faults that the strategy
// can't have. `steps` are the training's.
timing::Faults faults_of(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps);

}  // namespace wt::scenario
