#pragma once
// The faults of a scenario, resolved to replicas and tasks.

#include "scenario/machine.h"
#include "timing/faults.h"

namespace wt::scenario {

// Throws InputError, with every problem at its key, for names of no replica or task, and for faults that the
// strategy doesn't survive. `steps` is the number of steps of the training.
timing::Faults faults_of(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps);

}  // namespace wt::scenario
