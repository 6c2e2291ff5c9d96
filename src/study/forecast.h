#pragma once
// study/ answers questions that need several trainings: how a step scales with the number of replicas, which
// change of a scenario would make it faster, and how close predictions are to published measurements
// (study/evidence/).
//
// Its idea is that one forecast is cheap. A forecast plans and simulates one step with the shapes of its
// tensors and computes no numbers, so a study can ask for many. A variant of a scenario is the same file with
// further overrides:
//
//   const Forecast one = forecast("my.json", {}, {"training.global_batch=512"});
//   const Forecast other = forecast("my.json", {}, {"training.global_batch=1024"}, {.links = 2});
//   other.simulated->step / one.simulated->step;  // if both fit into memory
//
// Requires: the scenario has a platform. A step that doesn't fit is no error: its forecast has
// `out_of_memory` instead of `simulated`. Read next: study/scaling.h and study/explanation.h, then
// study/evidence/prediction.h.

#include <optional>
#include <string>
#include <vector>

#include "platform/calibration.h"
#include "scenario/scenario.h"
#include "session/forecast.h"
#include "study/sureness.h"

namespace wt::study {

// Factors by which the machine is faster than described. The latencies of links stay as they are.
struct WhatIf {
  double compute = 1;
  double links = 1;
  // Factor on the kernel times, which replaces the scenario's measured step. That step was measured with the
  // scenario's own batch, and a variant may have another batch.
  std::optional<double> scale{};
  std::optional<platform::Calibration> calibration{};  // in place of the platform's own
};

// A forecast, and how sure its time is.
struct Judged {
  session::Forecast forecast{};
  std::optional<Sureness> sureness{};  // absent: no step is simulated
};
Judged judged_forecast(const std::string& file, std::vector<std::string> overrides,
                       const std::vector<std::string>& further, const WhatIf& what_if = {});

// The forecast of a scenario's step. Throws InputError if the scenario can't be built or has no platform.
session::Forecast forecast(const scenario::Scenario& scenario, const WhatIf& what_if = {});

// The forecast of a variant: the file with its overrides, followed by further ones.
session::Forecast forecast(const std::string& file, std::vector<std::string> overrides,
                           const std::vector<std::string>& further, const WhatIf& what_if = {});

// The ratio of the scenario's measured step to its simulated one, which applies to the times of all kernels.
// Unset if the scenario has no measured step. Throws InputError if the step doesn't fit into memory.
std::optional<double> measured_scale(scenario::Scenario scenario);

// Throws InputError if the scenario has no platform, since a step without a platform has no simulated time.
void require_platform(const scenario::Scenario& scenario);

}  // namespace wt::study
