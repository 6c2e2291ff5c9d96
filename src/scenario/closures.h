#pragma once

#include "scenario/build.h"

namespace wt::scenario {

// Reports what a training of closures, whose workers don't wait for each other, can't have yet: faults, an
// input pipeline that takes time, and batches of several sizes, since all closures are one plan.
void check_closures(const Scenario& scenario, const Job& job, Problems& problems);

}  // namespace wt::scenario
