#include <fmt/format.h>

#include <map>
#include <ostream>

#include "base/table.h"
#include "cli/arguments.h"
#include "cli/counted_progress.h"
#include "cli/verify.h"
#include "study/agreement/drawn_scenario.h"
#include "study/agreement/trial.h"

namespace wt::cli {

namespace {

Exit print_scenarios(const VerifyAgreementOptions& options, const Streams& streams) {
  for (std::int64_t done = 0; done < options.scenarios; ++done)
    streams.results << agreement::draw_scenario(options.seed + done) << "\n";
  return Exit::done;
}

}  // namespace

Exit verify_agreement(const VerifyAgreementOptions& options, const Streams& streams) {
  if (options.only_print) return print_scenarios(options, streams);
  std::map<std::string, agreement::Counts> sums;
  std::string faults;
  std::int64_t wrong = 0;
  CountedProgress progress(streams.messages, "scenario");
  for (std::int64_t done = 0; done < options.scenarios; ++done) {
    const agreement::Trial trial = agreement::try_out(options.seed + done);
    for (const auto& [way, counts] : trial.ways) {
      sums[way].agree += counts.agree;
      sums[way].refused += counts.refused;
    }
    if (!trial.wrong.empty()) {
      ++wrong;
      faults += fmt::format("seed {} ({}): {}\n", trial.seed, trial.strategy, trial.wrong);
    }
    progress.show(done + 1, options.scenarios);
  }
  std::vector<TableRow> rows{{"carried out", "agree", "refused"}};
  for (const auto& [way, counts] : sums)
    rows.push_back({way, std::to_string(counts.agree), std::to_string(counts.refused)});
  streams.results << print_table(rows, "lrr") << faults
                  << fmt::format("{} scenarios from seed {}: {} differ\n", options.scenarios, options.seed,
                                 wrong);
  return wrong == 0 ? Exit::done : Exit::job_failed;
}

Command verify_agreement_command(CLI::App& verify) {
  return declare(
      verify, "agreement",
      "Draws scenarios, carries out each in ways that must come to the same, and compares the results",
      verify_agreement, [](CLI::App& command, VerifyAgreementOptions& options) {
        command.add_option("--scenarios", options.scenarios, "How many scenarios")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
        command.add_option("--seed", options.seed, "The seed of the first; each has the next number")
            ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
        command.add_flag("--print", options.only_print,
                         "Prints the scenarios, a line each, and does nothing else");
      });
}

}  // namespace wt::cli
