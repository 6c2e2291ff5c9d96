#pragma once
// The faults of a scenario, resolved to replicas, tasks and links.

#include "scenario/machine.h"
#include "timing/faults.h"

namespace wt::scenario {

// Reports keys of a fault that belong to another kind of fault, and keys that it lacks.
void check_faults(const Scenario& scenario, Problems& problems);

// Throws InputError, with every problem at its key, for names of no replica, task or link, and for steps that the
// training doesn't come to. `steps` is the number of steps of the training.
timing::Faults faults_of(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps);

}  // namespace wt::scenario
