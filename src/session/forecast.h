#pragma once

#include <optional>
#include <string>

#include "cost/bill.h"
#include "session/planned.h"
#include "timing/job_time.h"
#include "timing/simulated.h"

namespace wt::session {

// The plan of a scenario's step and its simulated time. No numbers are computed for it.
struct Forecast {
  std::string strategy{};
  std::string
      chosen_strategy{};  // by a rule, and why (Scenario::chosen_strategy); empty: the scenario names it
  Planned planned{};
  std::optional<timing::Simulated> simulated{};  // unset without a platform, or if the step doesn't fit
  std::optional<timing::JobTime> job{};          // set if it is wanted and the step is simulated
  std::optional<cost::Cost> cost{};              // set if, in addition, the platform has a price
  std::optional<std::string> out_of_memory{};    // in TensorFlow's words; set if the step doesn't fit
};

}  // namespace wt::session
