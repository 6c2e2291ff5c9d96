#pragma once

#include "plan/plan.h"
#include "scenario/machine.h"

namespace wt {

// Replicas that compute on this machine need its memory. Where the scenario cuts it into pieces, replica i lies
// in piece i, and again from the first where there are fewer; a task's host lies with its first replica. Throws
// InputError with what every piece would hold of this plan, when one is too small.
void require_place_on_host(const scenario::Scenario& scenario, const scenario::Machine& machine,
                           const plan::Plan& plan);

}  // namespace wt
