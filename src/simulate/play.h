#pragma once

#include "simulate/job.h"

namespace wt::simulate {

// Simulates a job in a process of its own (simulate/helper.h). The same job gives the same bits every time. A
// folded job is reduced to one activity of each class first (simulate/symmetry.h), unless it has stations or
// tasks, whose equal activities may happen at different times.
Outcome play(const Job& job, Folding folding = Folding::folded);

// The same for a job that needs no reduction, because it was made from a reduced one.
Outcome play_whole(const Job& job, Folding folding = Folding::folded);

}  // namespace wt::simulate
