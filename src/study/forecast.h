#pragma once
// A scenario's step, planned and timed with shapes only: what comparisons, tables and sweeps are made of.

#include <optional>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "session/forecast.h"

namespace wt::study {

// So many times as fast as described; latencies of links stay.
struct WhatIf {
  double compute = 1;
  double links = 1;
  // Of what is computed, in place of the scenario's measured step: that is one of its own batch, a variant may
  // have another.
  std::optional<double> scale{};
};

// Throws InputError for what the scenario can't do, and where it has no platform.
session::Forecast forecast(scenario::Scenario scenario, const WhatIf& what_if = {});

// A variant of a scenario is its file with further overrides.
session::Forecast forecast(const std::string& file, std::vector<std::string> overrides,
                           const std::vector<std::string>& further, const WhatIf& what_if = {});

// What a measured step says of all kernels; none where the scenario has none. Throws InputError where that step
// doesn't fit.
std::optional<double> measured_scale(scenario::Scenario scenario);

// What isn't timed can't be asked for: InputError at the scenario's first bracket.
void require_platform(const scenario::Scenario& scenario);

}  // namespace wt::study
