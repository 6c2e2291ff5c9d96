#pragma once
// Where a step's time goes and what would help: the answer of `explain`.

#include <string>
#include <vector>

#include "session/training.h"
#include "study/what_helps.h"
#include "timing/step_account.h"

namespace wt::study {

struct Explanation {
  std::string name{};  // the scenario's
  session::Forecast now{};
  timing::StepAccount account{};
  std::vector<Change> changes{};
};

// Requires: the scenario's platform, and a step that fits. `file` and `overrides` are those of the scenario: every
// change is the same file with further overrides.
Explanation explain(const std::string& file, const std::vector<std::string>& overrides,
                    const scenario::Scenario& scenario, session::Training& training);

}  // namespace wt::study
