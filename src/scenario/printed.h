#pragma once

#include "scenario/build.h"

namespace wt::scenario {

// The names of the results that the lines of "print" may show, beside "epoch".
struct PrintedFields {
  std::vector<std::string> of_epoch{};
  std::vector<std::string> of_end{};
};
PrintedFields printed_fields(const Scenario& scenario, const Job& job);

// Reports what "print", "verbose" and "reported_loss" cannot do in this training, before it begins. Requires: the job has
// its model, its metrics and its weights.
void check_printed(const Scenario& scenario, Job& job, Problems& problems);

}  // namespace wt::scenario
