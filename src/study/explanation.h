#pragma once
// Where a step's time goes, and which changes would make it shorter. This is the result of `windtunnel
// explain`.

#include <string>
#include <vector>

#include "session/training.h"
#include "study/sureness.h"
#include "study/what_helps.h"
#include "timing/step_account.h"

namespace wt::study {

struct Explanation {
  std::string name{};                 // the scenario's
  session::Forecast now{};            // of the scenario as it is
  timing::StepAccount account{};      // the parts of the step's time
  Sureness sureness{};                // of the step as it is
  std::vector<std::string> causes{};  // why it is slow, in words (study/causes.h)
  std::vector<Change> changes{};      // each with its own forecast
};

// Every change is simulated as the same file with further overrides, so `file` and `overrides` must be those
// that the scenario was read from. Requires: the scenario has a platform, its step fits into memory, and
// `training` is its.
Explanation explain(const std::string& file, const std::vector<std::string>& overrides,
                    const scenario::Scenario& scenario, session::Training& training);

}  // namespace wt::study
