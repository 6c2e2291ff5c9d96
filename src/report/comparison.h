#pragma once
// Compares several runs in a table with one row per run.

#include <span>
#include <string>

#include "report/records.h"
#include "session/results.h"

namespace wt::report {

Records comparison(const std::vector<session::Results>& runs);

}  // namespace wt::report
