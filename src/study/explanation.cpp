#include "study/explanation.h"

#include "study/causes.h"

namespace wt::study {

Explanation explain(const std::string& file, const std::vector<std::string>& overrides,
                    const scenario::Scenario& scenario, session::Training& training) {
  const cluster::Machine& machine = training.machine();
  Explanation explanation{.name = scenario.name, .now = training.forecast()};
  const timing::Simulation& step = training.clock().step();
  explanation.account = timing::account_of(training.plans().whole(), machine, step);
  explanation.sureness = sureness_of(scenario, machine, explanation.now.planned, *explanation.now.simulated);
  explanation.causes = causes(scenario, machine, explanation.now,
                              {.beginnings = beginnings_of(training.plans().whole()),
                               .gathered = training.plans().gathered_rows(),
                               .tracing = training.clock().tracing()});
  std::optional<double> scale;
  if (scenario.time.measured_step) scale = step.scale;
  explanation.changes =
      changes({.file = file,
               .overrides = overrides,
               .scenario = scenario,
               .forecast = explanation.now,
               .machine = machine,
               .device = machine.platform->type(machine.endpoint(print(machine.device().name))),
               .measured_scale = scale});
  return explanation;
}

}  // namespace wt::study
