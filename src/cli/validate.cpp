#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands.h"
#include "cli/training.h"
#include "scenario/parse.h"

namespace wt {

bool tell_memory(Training& training, const Streams& streams) {
  const plan::MemoryReport report = training.memory();
  streams.results << print(report);
  if (!training.machine().device.memory) return true;  // no limit: any batch finds its place
  if (const auto largest = training.largest_batch_that_fits())
    streams.results << fmt::format("largest batch that fits: {}\n", *largest);
  else
    streams.results << "not even a batch of one row fits\n";
  return !report.shortage;
}

void tell_warnings(const scenario::Machine& machine, std::ostream& messages) {
  for (const Problem& problem : machine.warnings) messages << "warning: " << print(problem) << "\n";
}

Exit validate(const ValidateOptions& options, const Streams& streams) {
  Exit exit = Exit::done;
  for (const std::string& file : options.files) {
    try {
      const scenario::Scenario scenario = scenario::parse_file(file, options.overrides);
      check_output_names(scenario);
      scenario::Job job = scenario::build(scenario);
      tell_warnings(job.machine, streams.messages);
      streams.results << file << ": fine\n";
      if (!options.memory && !options.placement) continue;
      Training training(scenario, std::move(job), {});
      if (options.placement) streams.results << print(training.placement());
      if (options.memory && !tell_memory(training, streams)) exit = std::max(exit, Exit::job_failed);
    } catch (const InputError& error) {
      streams.messages << error.what() << "\n";
      exit = Exit::input_wrong;
    }
  }
  return exit;
}

}  // namespace wt
