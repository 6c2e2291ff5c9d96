#include "study/forecast.h"

#include <algorithm>
#include <utility>

#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt::study {

void require_platform(const scenario::Scenario& scenario) {
  if (scenario.platform.written) return;
  throw InputError(Problem{scenario.place("platform"), "the scenario has no platform, so it can't be timed",
                           "name a machine: --set platform=dgx_a100; `windtunnel list platforms` has more"});
}

std::optional<double> measured_scale(scenario::Scenario scenario) {
  if (!scenario.time.measured_step) return std::nullopt;
  scenario.numerics = scenario::Numerics::none;
  session::Training training(scenario, scenario::build(scenario), {});
  if (training.forecast().out_of_memory)
    throw InputError(Problem{scenario.place("time.measured_step"),
                             "a step that does not fit was not measured",
                             "leave it out, or take a batch that fits"});
  return training.clock().step().scale;
}

namespace {

// A variant with larger batches may have fewer steps. A forecast is that of a step in which everything is slow that becomes
// slow, and the last step is one.
void begin_within_training(scenario::Scenario& scenario) {
  scenario::Scenario without = scenario;
  without.faults.clear();
  const std::int64_t last = scenario::steps_of(without, scenario::build(without)) - 1;
  for (scenario::Fault& fault : scenario.faults) {
    if (fault.from_step) fault.from_step = std::clamp<std::int64_t>(last, 0, *fault.from_step);
    if (fault.until_step && fault.from_step >= fault.until_step) fault.until_step.reset();
  }
}

Judged judge(const scenario::Scenario& asked, const WhatIf& what_if) {
  require_platform(asked);
  scenario::Scenario scenario = asked;
  scenario.numerics = scenario::Numerics::none;
  if (what_if.scale) scenario.time.measured_step.reset();
  scenario.training.learning_rate_by_batch
      .clear();  // A forecast doesn't use it, and a variant may have another batch.
  // It is that of a step, and what ends a training has its place in the training as it is.
  std::erase_if(scenario.faults, [](const scenario::Fault& fault) { return !fault.slow && !fault.degrade; });
  if (!scenario.faults.empty()) begin_within_training(scenario);
  scenario::Job job = scenario::build(scenario);
  job.machine.platform = job.machine.platform->with_faster_links(what_if.links);
  if (what_if.calibration)
    job.machine.platform = job.machine.platform->with_calibration(*what_if.calibration);
  session::Training training(scenario, std::move(job),
                             {.simulation = {.scale = what_if.scale, .compute = what_if.compute}});
  Judged judged{.forecast = training.forecast()};
  if (judged.forecast.simulated)
    judged.sureness =
        sureness_of(asked, training.machine(), judged.forecast.planned, *judged.forecast.simulated);
  return judged;
}

}  // namespace

session::Forecast forecast(const scenario::Scenario& scenario, const WhatIf& what_if) {
  return judge(scenario, what_if).forecast;
}

Judged judged_forecast(const std::string& file, std::vector<std::string> overrides,
                       const std::vector<std::string>& further, const WhatIf& what_if) {
  overrides.insert(overrides.end(), further.begin(), further.end());
  return judge(scenario::parse_file(file, overrides), what_if);
}

session::Forecast forecast(const std::string& file, std::vector<std::string> overrides,
                           const std::vector<std::string>& further, const WhatIf& what_if) {
  return judged_forecast(file, std::move(overrides), further, what_if).forecast;
}

}  // namespace wt::study
