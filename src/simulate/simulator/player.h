#pragma once

#include "simulate/job.h"

namespace wt::simulate {

// Simulates a job on SimGrid's clock in this process, which can be done once per process; simulate/play.h
// starts the process. Throws InternalError when activities wait for each other in a circle. Requires: this
// process has simulated nothing before.
Outcome play_here(const Job& job, Folding folding);

}  // namespace wt::simulate
