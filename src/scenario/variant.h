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

}  // namespace wt::scenario
