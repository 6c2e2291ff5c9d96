#pragma once
// Several runs beside one another, a row for each.

#include <span>
#include <string>

#include "report/records.h"
#include "session/results.h"

namespace wt::report {

Records comparison(const std::vector<session::Results>& runs);

}  // namespace wt::report
