#pragma once
// What `explain` prints.

#include <string>

#include "study/explanation.h"

namespace wt::report {

std::string explanation_text(const study::Explanation& explanation);
std::string explanation_json(const study::Explanation& explanation);

}  // namespace wt::report
