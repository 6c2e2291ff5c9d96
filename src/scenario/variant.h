#pragma once
// Variants of a scenario: its file with further overrides, as --set writes them.

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::scenario {

using strategy::Overrides;

// The overrides that give the scenario so many replicas: the first devices of one machine, whole machines or
// some devices of one machine for workers, another slice for TPUs. `machine` is the machine of the scenario
// as it is. Throws InputError with a possible number if this one isn't.
Overrides with_replicas(const Scenario& scenario, const cluster::Machine& machine, int replicas);

// The overrides that give the scenario's cluster one more task of a job, on a machine like those of the
// job's other tasks: a machine that no task has, if each task then keeps a machine of its kind, and otherwise
// one more in that group of machines. Requires: the scenario's cluster has the job.
Overrides with_another_task(const Scenario& scenario, const cluster::Machine& machine, std::string_view job);

}  // namespace wt::scenario
