#pragma once
// Compares several runs in a table with one row per run.

#include <span>
#include <string>

#include "report/records.h"
#include "session/results.h"

namespace wt::report {

Records comparison(const std::vector<session::Results>& runs);

// A line for each run with a cost: what is paid for, at which price. Empty: no run has a cost.
std::string notes_on_costs(const std::vector<session::Results>& runs);

// A warning if the runs were simulated with different versions of the model's constants; otherwise empty.
std::string warning_of_versions(const std::vector<session::Results>& runs);

}  // namespace wt::report
