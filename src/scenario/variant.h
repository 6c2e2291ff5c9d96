#pragma once
// Variants of a scenario: its file with further overrides, as --set writes them.

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::scenario {

using Overrides = std::vector<std::string>;

// Which overrides make so many replicas: of one machine's devices the first ones; of workers whole machines, or
// some devices of one; of TPUs another slice. `machine` is the scenario's own. Throws InputError with what would
// do where that is not to be had.
Overrides with_replicas(const Scenario& scenario, const cluster::Machine& machine, int replicas);

}  // namespace wt::scenario
