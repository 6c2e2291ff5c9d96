#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "base/file.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/validate_input.h"
#include "cluster/roles.h"
#include "report/ending.h"
#include "scenario/parse.h"
#include "session/saved_state.h"
#include "session/training.h"

namespace wt::cli {

bool print_memory(session::Training& training, const Streams& streams) {
  const plan::MemoryReport report = training.plans().memory();
  streams.results << print(report);
  if (!training.machine().device().memory) return true;  // Without a limit every batch fits.
  if (const auto largest = training.plans().largest_batch_that_fits())
    streams.results << fmt::format("largest batch that fits: {}\n", *largest);
  else
    streams.results << "not even a batch of one row fits\n";
  return !report.shortage;
}

void print_warnings(const cluster::Machine& machine, std::ostream& messages) {
  for (const Problem& problem : machine.warnings) messages << "warning: " << print(problem) << "\n";
  print_notes(machine.notes, messages);
}

void print_notes(const std::vector<Problem>& notes, std::ostream& messages) {
  for (const Problem& problem : notes) messages << "note: " << print(problem) << "\n";
}

void apply_tf_config(const std::string& tf_config, scenario::Scenario& scenario, std::ostream& messages) {
  const char* variable = std::getenv("TF_CONFIG");
  if (tf_config.empty()) {
    if (variable != nullptr && scenario.strategy->processes() == strategy::Processes::per_worker)
      messages << "note: the variable TF_CONFIG is set, but not used; --tf-config env uses it\n";
    return;
  }
  if (scenario.cluster.written)
    throw InputError(
        Problem{scenario.place("cluster"), "--tf-config names another cluster", "leave one of the two out"});
  if (tf_config == "env" && variable == nullptr)
    throw InputError("--tf-config env: the variable TF_CONFIG is not set", "set it, or name a file");
  const std::string named = tf_config == "env" ? "TF_CONFIG" : tf_config;
  const std::string text = tf_config == "env" ? variable : read_text(tf_config, {});
  scenario.cluster = {json::parse(text, named), cluster::parse_tf_config(text, named)};
  const cluster::TfConfig& config = scenario.cluster.config;
  const bool is_worker = scenario.strategy->processes() == strategy::Processes::per_worker;
  if (is_worker && !config.cluster.is_empty() && !config.task_type)
    throw InputError(Problem{scenario.cluster.written->place(), std::string(cluster::needs_task),
                             R"(add "task": {"type": "worker", "index": 0})"});
  scenario.places.insert_or_assign("cluster", scenario.cluster.written->place());
}

void print_faults(const std::vector<Problem>& faults, std::ostream& messages) {
  for (const Problem& problem : faults) messages << "warning: " << print(problem) << "\n";
}

namespace {

void print_placement(session::Training& training, std::ostream& results) {
  const std::vector<strategy::ReplicaPlacement> placed = training.plans().placements();
  results << print(placed);
  const std::size_t replicas = training.machine().replicas.size();
  if (placed.size() < replicas)
    results << fmt::format("replicas {} to {}: other processes place and log them\n", placed.size(),
                           replicas - 1);
}

// Whatever `run` refuses is refused here, too, and what ends a run before its first step is reported.
Exit validate_one(const std::string& file, const ValidateOptions& options, const Streams& streams) {
  scenario::Scenario scenario = scenario::parse_file(file, options.overrides);
  apply_tf_config(options.tf_config, scenario, streams.messages);
  session::check_output_names(scenario);
  scenario::Job job = scenario::build(scenario);
  print_warnings(job.machine, streams.messages);
  print_notes(job.notes, streams.messages);
  std::ostringstream input;
  if (options.input) print_input(scenario, job, input);
  session::Training training(scenario, std::move(job), {.computes = true});
  const std::optional<std::string> shortage = training.check();
  const std::optional<session::EndedByFault> end = shortage ? std::nullopt : training.ending_fault();
  if (!shortage) print_faults(training.faults(), streams.messages);
  streams.results << file
                  << (shortage ? ": a step doesn't fit: " + *shortage
                      : end    ? ": TensorFlow ends it: " + report::fault_text(*end)
                               : ": fine")
                  << "\n"
                  << input.str();
  if (options.placement) print_placement(training, streams.results);
  if (options.memory) print_memory(training, streams);
  return shortage || end ? Exit::job_failed : Exit::done;
}

}  // namespace

Exit validate(const ValidateOptions& options, const Streams& streams) {
  Exit exit = Exit::done;
  for (const std::string& file : options.files) {
    try {
      exit = std::max(exit, validate_one(file, options, streams));
    } catch (const InputError& error) {
      streams.messages << error.what() << "\n";
      exit = Exit::input_wrong;
    }
  }
  return exit;
}

Command validate_command(CLI::App& program) {
  return declare(program, "validate", "Prints every mistake in scenarios, or that a scenario has none",
                 validate, [](CLI::App& command, ValidateOptions& options) {
                   command.add_option("FILE", options.files, "Scenarios")->required();
                   add_overrides(command, options.overrides);
                   add_tf_config(command, options.tf_config);
                   command.add_flag(
                       "--memory", options.memory,
                       "Prints what each device would hold, and the largest batch that fits; trains nothing");
                   command.add_flag("--placement", options.placement,
                                    "Prints the device of each operation of a step, and the reason");
                   command.add_flag("--input", options.input,
                                    "Prints which rows and which files each worker and each replica gets");
                 });
}

}  // namespace wt::cli
