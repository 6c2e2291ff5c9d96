#pragma once
// What a step costs beside its kernels and messages, by the way in which a scenario's program runs it.

#include <optional>

#include "plan/rows.h"
#include "plan/traffic.h"
#include "scenario/machine.h"
#include "timing/pool.h"
#include "timing/software.h"

namespace wt::session {

// When rows are copied to the devices.
plan::RowCopies copies_of(const scenario::Scenario& scenario);

// How optimizers update variables.
plan::Updates updates_of(const scenario::Scenario& scenario);

// The work of TensorFlow's own software in a process of this machine. Absent: nothing is measured for such a strategy,
// or the user doesn't want it counted.
std::optional<timing::SoftwareOptions> software_of(const scenario::Scenario& scenario,
                                                   const cluster::Machine& machine);

// How a coordinator hands out the closures of a training with so many steps. Absent: all devices make the same steps.
std::optional<timing::PoolOptions> pool_of(const scenario::Scenario& scenario,
                                           const cluster::Machine& machine, const plan::Plan& plan,
                                           std::int64_t steps);
// The time of the coordinator for as many steps as it dispatches together.
Seconds dispatch_of(const scenario::Scenario& scenario);

}  // namespace wt::session
