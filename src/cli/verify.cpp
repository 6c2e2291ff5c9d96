#include "cli/verify.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/arguments.h"

namespace wt::cli {

namespace {

// The kinds of verification, in the order in which `verify --help` prints them.
constexpr std::array kinds = {
    verify_nccl_tests_command,  verify_measurements_command, verify_catalogue_command,
    verify_scaling_command,     verify_evidence_command,     verify_constants_command,
    verify_collectives_command, verify_strategies_command,   verify_scenarios_command,
    verify_tensorflow_command,  verify_failures_command};

}  // namespace

void add_published(CLI::App& command, PublishedOptions& options) {
  command.add_option("FOLDER", options.folder, "Folder of published measurements: tests/measurements")
      ->required();
  command.add_flag("--csv", options.csv, "Prints a line for every row");
}

void add_fit(CLI::App& command, PublishedOptions& options, const std::string& meaning) {
  command.add_option("--fit", options.fit, meaning)->type_name("FILE");
}

Command verify_command(CLI::App& program) {
  CLI::App* verify = program.add_subcommand(
      "verify", "Proves algorithms, and compares results with references and measurements");
  verify->require_subcommand(1);
  std::vector<Command> all;
  for (const auto& kind : kinds) all.push_back(kind(*verify));
  return {.arguments = verify,
          .call = [all](const Streams& streams) { return named_in(all)->call(streams); }};
}

}  // namespace wt::cli
