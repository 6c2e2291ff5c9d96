#pragma once
// What `explain` prints.

#include <string>
#include <vector>

#include "cli/step_account.h"
#include "cli/what_helps.h"

namespace wt {

struct Explanation {
  std::string name{};  // the scenario's
  report::Forecast now{};
  StepAccount account{};
  std::vector<Change> changes{};
};

std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace wt
