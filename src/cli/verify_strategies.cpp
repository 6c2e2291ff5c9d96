#include "cli/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/rough.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "scenario/parse.h"
#include "study/evidence/against_one_device.h"
#include "study/evidence/reference_runs.h"

namespace wt::cli {

namespace {

// ---- Against reference runs

std::string way_name(const evidence::StrategyWay& way) {
  return way.reduction.empty() ? way.strategy : fmt::format("{}, {}", way.strategy, way.reduction);
}

std::string print(const std::string& way, const evidence::Tie& tie) {
  return fmt::format(
      "~ {}, {}: {} is {:.0e} from the reference. So is one device ({:.0e}) whose first weights are moved by "
      "an ulp at most; from that run, number {} that was tried, it is {:.0e}\n",
      tie.oracle, way, tie.from_reference.tensor, tie.from_reference.weight, tie.followed.neighbour.weight,
      tie.followed.number + 1, tie.followed.from.weight);
}

// A row for each way, a column for each number of replicas; the worst of all cases.
class OracleTable {
 public:
  OracleTable(std::vector<evidence::Oracle> oracles, const VerifyStrategiesOptions& options)
      : runs_(std::move(oracles)), options_(options) {}

  Exit run(std::ostream& results) {
    for (std::size_t column = 0; column < options_.replicas.size(); ++column)
      for (const evidence::StrategyWay& way : evidence::strategy_ways(options_.replicas[column])) {
        if (way_name(way).find(options_.only) == std::string::npos) continue;
        // The number of workers may be that of replicas: one row for all of these.
        row(way_name(way)).at(column) = cell(way);
      }
    results << text();
    return wrong_ == 0 ? Exit::done : Exit::job_failed;
  }

 private:
  using Row = std::vector<std::string>;

  Row& row(const std::string& name) {
    const auto known =
        std::ranges::find(rows_, name, [](const auto& named) -> const std::string& { return named.first; });
    if (known != rows_.end()) return known->second;
    return rows_.emplace_back(name, Row(options_.replicas.size(), "-")).second;
  }

  std::string cell(const evidence::StrategyWay& way) {
    const evidence::WayChecked checked = runs_.check(way);
    ++ways_;
    if (!checked.is_right) ++wrong_;
    for (const evidence::Tie& tie : checked.ties)
      ties_.push_back(
          print(fmt::format("{}, {}", way_name(way), counted(way.input.replicas, "replica")), tie));
    const std::string_view mark = !checked.is_right ? " !" : !checked.ties.empty() ? " ~" : "";
    return fmt::format("{:.0e} {:.0e}{}", checked.worst.loss, checked.worst.weight, mark);
  }

  std::string verdict() const {
    if (wrong_ > 0) return fmt::format("{} NOT within", counted(wrong_, "way"));
    if (ties_.empty()) return "all within";
    return fmt::format("all within, {} (~) not of the reference but of one device an ulp aside",
                       counted(std::ssize(ties_), "run"));
  }

  std::string text() const {
    std::vector<TableRow> table{{"strategy"}};
    for (const int replicas : options_.replicas) table[0].push_back(fmt::format("{}", replicas));
    for (const auto& [name, row] : rows_) {
      TableRow& cells = table.emplace_back(TableRow{name});
      std::ranges::copy(row, std::back_inserter(cells));
    }
    std::string text = "worst relative error of a loss, and of a weight, over ";
    for (const evidence::Oracle& oracle : runs_.oracles())
      text += oracle.name + (&oracle == &runs_.oracles().back() ? "" : ", ");
    text +=
        fmt::format("; columns: replicas\n{}allowed {:.0e} {:.0e}: {}; {} ways\n", print_table(table, "l"),
                    evidence::allowed_loss, evidence::allowed_weight, verdict(), ways_);
    for (const std::string& tie : ties_) text += tie;
    return text;
  }

  evidence::ReferenceRuns runs_;
  const VerifyStrategiesOptions& options_;
  std::vector<std::pair<std::string, Row>> rows_{};
  std::vector<std::string> ties_{};
  std::int64_t ways_ = 0;
  std::int64_t wrong_ = 0;
};

// ---- A scenario against one device

std::string print(const scenario::Scenario& scenario, const scenario::Job& job,
                  const evidence::AgainstOneDevice& found) {
  const auto cell = [](double number) { return number == 0 ? "0" : fmt::format("{:.1e}", number); };
  const auto mark = [&](const evidence::TensorDifferences& row) {
    return found.followed && row.rounding > evidence::allowed_weight ? " ~" : "";
  };
  std::string text = fmt::format("{} of {} against one device, {} of {}\n", scenario.strategy->name(),
                                 counted(job.input.replicas, "replica"), counted(found.steps, "step"),
                                 counted(job.global_batch, "row"));
  std::vector<TableRow> table{{"tensor", "by definition", "by a bug", "by rounding"}};
  for (const evidence::TensorDifferences& row : found.tensors)
    table.push_back({row.tensor, cell(row.definition), cell(row.bug), cell(row.rounding) + mark(row)});
  text += print_table(table, "l");
  text += fmt::format("losses: {} (relative, the worst step)\n", cell(found.loss));
  for (const std::string& reason : found.definitions) text += fmt::format("by definition: {}\n", reason);
  if (!found.bug.empty()) text += fmt::format("by a bug of TensorFlow: {}\n", found.bug);
  if (found.followed)
    text += fmt::format(
        "~ by rounding: a tie, as in a pooling window, led the run elsewhere. So it leads {} ({:.0e}) when "
        "first weights are moved by an ulp at most; from that run, number {} that was tried, it is {:.0e}\n",
        found.definitions.empty() ? "one device" : "replicas that are added on the first",
        found.followed->neighbour.weight, found.followed->number + 1, found.followed->from.weight);
  return text;
}

Exit compare(const VerifyStrategiesOptions& options, const Streams& streams) {
  const scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  if (scenario.numerics == scenario::Numerics::none)
    throw InputError(Problem{scenario.place("numerics"), "shapes have no numbers to compare",
                             "add --set numerics=cpu, or take a smaller model"});
  if (scenario.training.is_inference())
    throw InputError(Problem{scenario.place("training.loop"),
                             "predict trains nothing, and strategies are compared by what they train",
                             R"(take the "loop": "fit" or "custom")"});
  const scenario::Job job = scenario::build(scenario);
  print_warnings(job.machine, streams.messages);
  const evidence::AgainstOneDevice found = evidence::against_one_device(scenario, job, options.steps);
  streams.results << print(scenario, job, found);
  return found.is_right() ? Exit::done : Exit::job_failed;
}

}  // namespace

Exit verify_strategies(const VerifyStrategiesOptions& options, const Streams& streams) {
  if (options.file.empty() == options.oracles.empty())
    throw InputError("verify strategies needs either a scenario, or --oracles with a folder",
                     "give one of the two");
  constexpr std::int64_t most_steps = 10'000;  // differences show in the first ones
  if (options.steps < 1 || options.steps > most_steps)
    throw InputError(fmt::format("--steps {} is out of range", options.steps),
                     fmt::format("give a number from 1 to {}", most_steps));
  for (const int replicas : options.replicas)
    if (replicas < 1 || replicas > 64)
      throw InputError(fmt::format("--replicas {}: from 1 to 64", replicas), "");
  if (!options.file.empty()) return compare(options, streams);
  return OracleTable(evidence::read_oracles(options.oracles, options.overrides), options)
      .run(streams.results);
}

Command verify_strategies_command(CLI::App& verify) {
  return declare(
      verify, "strategies",
      "Compares several replicas with one device, tensor by tensor, and gives the reasons for differences",
      verify_strategies, [](CLI::App& command, VerifyStrategiesOptions& options) {
        CLI::Option* file = command.add_option("FILE", options.file, "The scenario");
        add_overrides(command, options.overrides);
        command.add_option("--steps", options.steps, "Number of steps to train; default: 5");
        command
            .add_option("--oracles", options.oracles,
                        "Compares every strategy and reduction with the reference runs in a folder: "
                        "tests/oracle")
            ->excludes(file);
        command
            .add_option("--replicas", options.replicas,
                        "Numbers of replicas with --oracles; default: 1,2,3,4,5,8,16")
            ->delimiter(',');
        command.add_option("--only", options.only,
                           "Compares only strategies or reductions with this word in their name");
      });
}

}  // namespace wt::cli
