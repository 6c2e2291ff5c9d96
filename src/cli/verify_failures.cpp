#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "base/suggest.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "cli/counted_progress.h"
#include "cli/verify.h"
#include "study/disturbed/trial.h"
#include "study/drawn/site.h"

namespace wt::cli {

namespace {

struct Sums {
  std::int64_t scenarios = 0, complete = 0, restarts = 0, lost_steps = 0, stalls = 0, compared = 0, wrong = 0;

  void add(const disturbed::Trial& trial) {
    ++scenarios;
    complete += trial.is_complete ? 1 : 0;
    restarts += trial.attempts - 1;
    lost_steps += trial.lost_steps;
    stalls += trial.stalls;
    compared += trial.is_compared && trial.wrong.empty() ? 1 : 0;
    wrong += trial.wrong.empty() ? 0 : 1;
  }
  TableRow row(const std::string& name) const {
    TableRow row{name};
    for (const std::int64_t number : {scenarios, complete, restarts, lost_steps, stalls, compared, wrong})
      row.push_back(std::to_string(number));
    return row;
  }
};

void require_strategy(const std::string& name) {
  const auto& all = drawn::strategies();
  if (!name.empty() && std::ranges::count(all, name) == 0)
    throw InputError(fmt::format("there is no strategy \"{}\"", name), did_you_mean(name, all));
}

}  // namespace

Exit verify_failures(const VerifyFailuresOptions& options, const Streams& streams) {
  require_strategy(options.strategy);
  std::map<std::string, Sums> sums;
  std::string faults;
  CountedProgress progress(streams.messages, "scenario");
  std::int64_t done = 0;
  for (std::int64_t seed = options.seed; done < options.count; ++seed) {
    if (!options.strategy.empty() && drawn::strategy_of(seed) != options.strategy) continue;
    const disturbed::Trial trial = disturbed::try_out(seed);
    sums[trial.strategy].add(trial);
    if (!trial.wrong.empty()) faults += fmt::format("seed {} ({}): {}\n", seed, trial.strategy, trial.wrong);
    progress.show(++done, options.count);
  }
  std::vector<TableRow> rows{{"strategy", "scenarios", "complete", "restarts", "steps lost", "stalls",
                              "equal to undisturbed", "wrong"}};
  for (const auto& [name, sum] : sums) rows.push_back(sum.row(name));
  streams.results << print_table(rows, "lrrrrrrr") << faults;
  return faults.empty() ? Exit::done : Exit::job_failed;
}

Command verify_failures_command(CLI::App& verify) {
  return declare(
      verify, "failures", "Draws scenarios in which machines fail, and proves that every step is kept once",
      verify_failures, [](CLI::App& command, VerifyFailuresOptions& options) {
        command.add_option("--count", options.count, "How many scenarios")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
        command.add_option("--seed", options.seed, "The seed of the first; each has the next number")
            ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
        command.add_option("--strategy", options.strategy, "Only scenarios of this strategy");
      });
}

}  // namespace wt::cli
