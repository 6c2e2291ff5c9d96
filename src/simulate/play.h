#pragma once

#include "simulate/job.h"

namespace wt::simulate {

// Simulates a job in a process of its own (simulate/helper.h). The same job gives the same bits every time. A
// folded job that is symmetric is reduced to one of its equal lanes first (simulate/symmetry.h).
Outcome play(const Job& job, Folding folding = Folding::folded);

}  // namespace wt::simulate
