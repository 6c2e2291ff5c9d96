#include "study/scaling.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "scenario/parse.h"
#include "scenario/variant.h"
#include "study/forecast.h"

namespace wt::study {

namespace {

using session::Forecast;

// The overrides of each number of replicas. Throws InputError with the problems of all of them.
std::vector<scenario::Overrides> variants(const scenario::Scenario& scenario,
                                          const std::vector<int>& counts) {
  Problems problems;
  std::vector<scenario::Overrides> variants;
  for (const int count : counts)
    if (count < 1) problems.add({}, fmt::format("--replicas must be at least 1, and it is {}", count), "");
  problems.throw_if_any();
  const cluster::Machine machine = scenario::build_machine(scenario);
  for (const int count : counts) {
    try {
      variants.push_back(scenario::with_replicas(scenario, machine, count));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return variants;
}

Judged forecast_of(const std::string& file, const std::vector<std::string>& overrides,
                   const scenario::Overrides& variant, int replicas, const WhatIf& measured) {
  try {
    Judged found = judged_forecast(file, overrides, variant, measured);
    WT_EXPECT(found.forecast.planned.replicas == replicas, "{} replicas where {} were wanted",
              found.forecast.planned.replicas, replicas);
    return found;
  } catch (const InputError& error) {
    Problems problems;
    for (Problem problem : error.problems()) {
      problem.fact = fmt::format("{}: {}", counted(replicas, "replica"), problem.fact);
      problems.add(problem);
    }
    problems.throw_if_any();
    throw;
  }
}

}  // namespace

bool Scaling::all_fit() const {
  return std::ranges::none_of(forecasts,
                              [](const Forecast& forecast) { return forecast.out_of_memory.has_value(); });
}

Scaling scaling_of(const std::string& file, const std::vector<std::string>& overrides,
                   const std::vector<int>& replicas) {
  const scenario::Scenario scenario = scenario::parse_file(file, overrides);
  require_platform(scenario);
  const std::vector<scenario::Overrides> wanted = variants(scenario, replicas);
  const WhatIf measured{.scale = measured_scale(scenario)};
  const auto& each = scenario.training.per_replica_batch;
  Scaling scaling{.name = scenario.name,
                  .is_weak = each.has_value(),
                  .batch = each ? *each : *scenario.training.global_batch};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Judged judged = forecast_of(file, overrides, wanted[i], replicas[i], measured);
    scaling.forecasts.push_back(std::move(judged.forecast));
    scaling.sureness.push_back(std::move(judged.sureness));
  }
  return scaling;
}

}  // namespace wt::study
