#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "scenario/parse.h"

namespace wt::cli {

namespace {

void add_run_arguments(CLI::App& command, RunOptions& options) {
  command.add_option("FILE", options.files, "The scenario; several files are compared in a table")
      ->required();
  add_overrides(command, options.overrides);
  CLI::Option* out = command.add_option("--out", options.out,
                                        "Folder of the results, which is replaced; default: out/<name>");
  command.add_option("--threads", options.threads,
                     "Number of threads on this machine's CPU; doesn't change results");
  add_isa(command, options.isa);
  CLI::Option* tf_config = add_tf_config(command, options.tf_config);
  CLI::Option* json = command.add_flag("--json", options.json, "Prints results.json, or the rows of a table");
  CLI::Option* csv =
      command.add_flag("--csv", options.csv, "Prints a line for every step, or for every row of a table");
  CLI::Option* report = add_report_of_results(command, options.report);
  CLI::Option* plan = command.add_flag(
      "--plan", options.plan,
      "Prints the training step's plan: its kernels, buffers and dependencies; trains nothing");
  command.add_flag("--log-device-placement", options.log_device_placement,
                   "Prints the device of each operation, as TensorFlow logs it");
  command.add_flag("--job", options.job,
                   "Prints the time of the whole training, item by item, with the basis of each");
  add_prices(command, options.prices);
  command.add_flag(
      "--verbose", options.verbose,
      "Prints every detail: memory by kind on each device, the reduction, the course of the steps");
  json->excludes(csv)->excludes(plan);
  csv->excludes(plan);
  command
      .add_option("--replicas", options.replicas,
                  "Prints how the step scales with the number of replicas, as in 1,2,4,8; trains nothing")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(out)
      ->excludes(plan)
      ->excludes(report)
      ->excludes(tf_config);
  report->excludes(plan);
}

}  // namespace

Command run_command(CLI::App& program) {
  return declare(program, "run", "Trains what a scenario describes, and writes its results", run,
                 add_run_arguments);
}

std::vector<std::string> overrides_of(const std::string& file, const RunOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (options.job && !scenario::parse_file(file, overrides).job) overrides.push_back("job={}");
  for (std::string& text : price_overrides(options.prices)) overrides.push_back(std::move(text));
  return overrides;
}

std::vector<std::string> price_overrides(const std::vector<std::string>& prices) {
  std::vector<std::string> overrides;
  for (const std::string& text : prices) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--price {} is not of the form NAME=PRICE", printable(text)),
                       R"(write the platform and its price, as in --price aws_p5="98.32 USD/h")");
    overrides.push_back(fmt::format(R"(cost.prices."{}"{})", text.substr(0, equals), text.substr(equals)));
  }
  return overrides;
}

}  // namespace wt::cli
