#pragma once
// Writes the table of a scaling study, which has one row for each number of replicas.

#include <string>

#include "report/records.h"
#include "study/scaling.h"

namespace wt::report {

Records scaling_records(const study::Scaling& scaling);
std::string scaling_text(const study::Scaling& scaling);
std::string scaling_json(const study::Scaling& scaling);

}  // namespace wt::report
