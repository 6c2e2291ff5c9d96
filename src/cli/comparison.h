#pragma once
// Several runs beside one another, a row for each.

#include <span>
#include <string>

#include "report/records.h"
#include "report/results.h"

namespace wt {

report::Records comparison(const std::vector<report::Results>& runs);

}  // namespace wt
