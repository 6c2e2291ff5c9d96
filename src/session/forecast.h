#pragma once

#include <optional>
#include <string>

#include "session/planned.h"
#include "timing/simulated.h"

namespace wt::session {

// The plan of a scenario's step and its simulated time. No numbers are computed for it.
struct Forecast {
  std::string strategy{};
  std::string
      chosen_strategy{};  // by a rule, and why (Scenario::chosen_strategy); empty: the scenario names it
  Planned planned{};
  std::optional<timing::Simulated> simulated{};  // unset without a platform, or if the step doesn't fit
  std::optional<std::string> out_of_memory{};    // in TensorFlow's words; set if the step doesn't fit
};

}  // namespace wt::session
