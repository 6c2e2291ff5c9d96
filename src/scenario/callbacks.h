#pragma once

#include "scenario/build.h"

namespace wt::scenario {

// The names of the results of an epoch, "loss" and the metrics; behind them those of an evaluation, "val_loss" and so on, if
// there is one.
std::vector<std::string> names_of_results(const Job& job, bool is_evaluated);

// Reports what callbacks cannot watch or change in this training, before it begins: Keras finds it out at the end of
// the first epoch. Notes what they cannot do without numbers. Requires: the job has its model, optimizer and metrics.
void check_callbacks(const Scenario& scenario, Job& job, Problems& problems);

}  // namespace wt::scenario
