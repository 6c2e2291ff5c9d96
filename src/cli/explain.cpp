#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/explanation.h"
#include "scenario/parse.h"

namespace wt::cli {

Exit explain(const ExplainOptions& options, const Streams& streams) {
  scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  study::require_platform(scenario);
  scenario.numerics = scenario::Numerics::none;
  session::Training training(scenario, scenario::build(scenario), {});
  print_warnings(training.machine(), streams.messages);
  if (training.forecast().out_of_memory) {
    print_memory(training, streams);
    return Exit::job_failed;
  }
  const study::Explanation explanation = study::explain(options.file, options.overrides, scenario, training);
  streams.results << (options.json ? report::explanation_json(explanation)
                                   : report::explanation_text(explanation));
  return Exit::done;
}

Command explain_command(CLI::App& program) {
  return declare(program, "explain",
                 "Prints where a step's time goes, and which changes would make it shorter", explain,
                 [](CLI::App& command, ExplainOptions& options) {
                   command.add_option("FILE", options.file, "The scenario")->required();
                   add_overrides(command, options.overrides);
                   command.add_flag("--json", options.json, "Prints the same as JSON");
                 });
}

}  // namespace wt::cli
