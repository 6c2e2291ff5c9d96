#pragma once
// Writes the answer of the command `explain`: where the time of a step goes, and which changes would reduce
// it.

#include <string>

#include "report/records.h"
#include "study/explanation.h"

namespace wt::report {

std::string bound_sentence(
    const study::Explanation& explanation);                   // "bound by compute: 84 % of the step; ..."
std::string bound_by(const study::Explanation& explanation);  // "compute"

// Its tables, with all of their rows.
Records kernel_records(const study::Explanation& explanation);
Records run_records(const study::Explanation& explanation);
Records change_records(const study::Explanation& explanation);  // the first row is the step as it is

std::string explanation_text(const study::Explanation& explanation);
std::string explanation_json(const study::Explanation& explanation);

}  // namespace wt::report
