#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "base/file.h"

#include "cli/commands.h"
#include "scenario/parse.h"
#include "session/saved_state.h"
#include "session/training.h"

namespace wt::cli {

bool tell_memory(session::Training& training, const Streams& streams) {
  const plan::MemoryReport report = training.plans().memory();
  streams.results << print(report);
  if (!training.machine().device().memory) return true;  // no limit: any batch finds its place
  if (const auto largest = training.plans().largest_batch_that_fits())
    streams.results << fmt::format("largest batch that fits: {}\n", *largest);
  else
    streams.results << "not even a batch of one row fits\n";
  return !report.shortage;
}

void tell_warnings(const cluster::Machine& machine, std::ostream& messages) {
  for (const Problem& problem : machine.warnings) messages << "warning: " << print(problem) << "\n";
}

void apply_tf_config(const std::string& tf_config, scenario::Scenario& scenario, std::ostream& messages) {
  const char* variable = std::getenv("TF_CONFIG");
  if (tf_config.empty()) {
    if (variable != nullptr && scenario.strategy->processes() == strategy::Processes::per_worker)
      messages << "note: TF_CONFIG is set and not read; --tf-config env reads it\n";
    return;
  }
  if (scenario.cluster.written)
    throw InputError(
        Problem{scenario.place("cluster"), "--tf-config names another cluster", "leave one of the two out"});
  if (tf_config == "env" && variable == nullptr)
    throw InputError("--tf-config env: there is no variable TF_CONFIG", "set it, or name a file");
  const std::string named = tf_config == "env" ? "TF_CONFIG" : tf_config;
  const std::string text = tf_config == "env" ? variable : read_text(tf_config, {});
  scenario.cluster = {json::parse(text, named), cluster::parse_tf_config(text, named)};
  scenario.places.insert_or_assign("cluster", scenario.cluster.written->place());
}

Exit validate(const ValidateOptions& options, const Streams& streams) {
  Exit exit = Exit::done;
  for (const std::string& file : options.files) {
    try {
      scenario::Scenario scenario = scenario::parse_file(file, options.overrides);
      apply_tf_config(options.tf_config, scenario, streams.messages);
      session::check_output_names(scenario);
      scenario::Job job = scenario::build(scenario);
      tell_warnings(job.machine, streams.messages);
      streams.results << file << ": fine\n";
      if (!options.memory && !options.placement) continue;
      session::Training training(scenario, std::move(job), {});
      if (options.placement) streams.results << print(training.plans().placement());
      if (options.memory && !tell_memory(training, streams)) exit = std::max(exit, Exit::job_failed);
    } catch (const InputError& error) {
      streams.messages << error.what() << "\n";
      exit = Exit::input_wrong;
    }
  }
  return exit;
}

}  // namespace wt::cli
