#pragma once
// Writes the answer of the command `explain`: where the time of a step goes, and which changes would reduce
// it.

#include <string>

#include "study/explanation.h"

namespace wt::report {

std::string explanation_text(const study::Explanation& explanation);
std::string explanation_json(const study::Explanation& explanation);

}  // namespace wt::report
