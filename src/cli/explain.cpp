#include <ostream>

#include "cli/commands.h"
#include "cli/explanation.h"
#include "cli/training.h"
#include "scenario/parse.h"

namespace wt {

Exit explain(const ExplainOptions& options, const Streams& streams) {
  scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  require_platform(scenario);
  scenario.numerics = scenario::Numerics::none;
  Training training(scenario, scenario::build(scenario), {});
  const scenario::Machine& machine = training.machine();
  tell_warnings(machine, streams.messages);
  Explanation explanation{.name = scenario.name, .now = training.forecast()};
  if (explanation.now.out_of_memory) {
    tell_memory(training, streams);
    return Exit::job_failed;
  }
  explanation.account = account_of(training.plans().whole(), machine, training.clock().step());
  std::optional<double> scale;
  if (scenario.time.measured_step) scale = training.clock().step().scale;
  explanation.changes =
      changes({.file = options.file,
               .overrides = options.overrides,
               .scenario = scenario,
               .forecast = explanation.now,
               .device = machine.platform->type(machine.endpoint(print(machine.device().name))),
               .measured_scale = scale});
  streams.results << (options.json ? explanation_json(explanation) : explanation_text(explanation));
  return Exit::done;
}

}  // namespace wt
