#pragma once

#include "cluster/machine.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// The machine that the scenario describes, with the replicas that its strategy puts there. Throws InputError
// with every problem of "platform", "devices", "cluster" and of the strategy's devices.
cluster::Machine build_machine(const Scenario& scenario);

}  // namespace wt::scenario
