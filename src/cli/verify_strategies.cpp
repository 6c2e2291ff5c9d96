#include "cli/verify_strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/rough.h"
#include "base/table.h"
#include "device/cpu/cpu_queue.h"
#include "scenario/names.h"
#include "scenario/parse.h"
#include "session/host_queues.h"
#include "session/lowering.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "study/evidence/neighbours.h"
#include "study/evidence/strategy_ways.h"
#include "tensor/difference.h"

namespace wt::cli {

namespace {

// ---- Against reference runs

std::string way_name(const evidence::StrategyWay& way) {
  return way.reduction.empty() ? way.strategy : fmt::format("{}, {}", way.strategy, way.reduction);
}

// A run of the reference that one way left, and the neighbour that it is on.
struct Tie {
  std::string way{};
  std::string oracle{};
  evidence::Deviation from_reference{};
  evidence::Neighbours::Followed followed{};
};

std::string print(const Tie& tie) {
  return fmt::format(
      "~ {}, {}: {} is {:.0e} from the reference. So is one device ({:.0e}) whose first weights are moved by "
      "an "
      "ulp at most; from that run, number {} that was tried, it is {:.0e}\n",
      tie.oracle, tie.way, tie.from_reference.tensor, tie.from_reference.weight,
      tie.followed.neighbour.weight, tie.followed.number + 1, tie.followed.from.weight);
}

// A row for each way, a column for each number of replicas; the worst of all cases.
class OracleTable {
 public:
  OracleTable(std::vector<evidence::Oracle> oracles, const VerifyStrategiesOptions& options)
      : oracles_(std::move(oracles)), options_(options) {
    for (const evidence::Oracle& oracle : oracles_)
      neighbours_.emplace_back(evidence::standard_of(oracle, queue_));
  }

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
    evidence::Deviation worst;
    bool is_right = true;
    const std::size_t ties = ties_.size();
    for (std::size_t i = 0; i < oracles_.size(); ++i) {
      const evidence::Deviation found = deviation_of(way, i, is_right);
      worst = {std::max(worst.loss, found.loss), std::max(worst.weight, found.weight), {}};
    }
    ++runs_;
    if (!is_right) ++wrong_;
    const std::string_view mark = !is_right ? " !" : ties_.size() > ties ? " ~" : "";
    return fmt::format("{:.0e} {:.0e}{}", worst.loss, worst.weight, mark);
  }

  // From the reference. Where it is too much in the weights, a neighbour has to account for it.
  evidence::Deviation deviation_of(const evidence::StrategyWay& way, std::size_t i, bool& is_right) {
    const evidence::Oracle& oracle = oracles_[i];
    const session::Rehearsal run =
        session::rehearse(oracle.scenario, oracle.job, way.lower, way.input, queue_, {});
    evidence::Deviation found = evidence::deviation(run, oracle.losses, oracle.weights);
    if (found.is_within()) return found;
    const auto followed = found.loss <= evidence::allowed_loss
                              ? neighbours_[i].followed_by(run)
                              : std::optional<evidence::Neighbours::Followed>();
    if (followed)
      ties_.push_back({fmt::format("{}, {}", way_name(way), counted(way.input.replicas, "replica")),
                       oracle.name, found, *followed});
    else
      is_right = false;
    return found;
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
    for (const evidence::Oracle& oracle : oracles_)
      text += oracle.name + (&oracle == &oracles_.back() ? "" : ", ");
    text +=
        fmt::format("; columns: replicas\n{}allowed {:.0e} {:.0e}: {}; {} ways\n", print_table(table, "l"),
                    evidence::allowed_loss, evidence::allowed_weight, verdict(), runs_);
    for (const Tie& tie : ties_) text += print(tie);
    return text;
  }

  std::vector<evidence::Oracle> oracles_;
  const VerifyStrategiesOptions& options_;
  device::Workers workers_{device::hardware_threads()};
  device::CpuQueue queue_{workers_};
  std::vector<evidence::Neighbours> neighbours_{};  // by oracle
  std::vector<std::pair<std::string, Row>> rows_{};
  std::vector<Tie> ties_{};
  std::int64_t runs_ = 0;
  std::int64_t wrong_ = 0;
};

// ---- A scenario against one device

// What makes several replicas compute something else than one device, on purpose.
struct Definitions {
  std::vector<std::string> reasons{};

  Definitions(const Step& step, const session::Rehearsal& replicas) {
    const auto has = [&](std::string_view word) {
      return std::ranges::any_of(step.program.nodes, [&](const Node& node) {
        const auto* apply = std::get_if<Apply>(&node.operation);
        return apply != nullptr && apply->kernel->name.find(word) != std::string_view::npos;
      });
    };
    if (has("batch_norm")) reasons.emplace_back("batch statistics are each replica's own");
    if (has("dropout")) reasons.emplace_back("dropout draws on each replica");
    if (std::ranges::any_of(replicas.steps, &train::StepResult::is_uneven_mean))
      reasons.emplace_back("fit weighs replicas equally, whatever rows they have");
  }
};

struct Compared {
  std::string tensor{};
  double definition = 0;
  double bug = 0;
  double rounding = 0;
};

// The same scenario four times. Each difference is one between two of them: the strategy as it is and with
// its bug mended; mended and added in the plainest way (rounding); that and one device (what is left).
class Comparison {
 public:
  Comparison(const scenario::Scenario& scenario, const scenario::Job& job, std::int64_t steps)
      : scenario_(scenario), job_(job), steps_(steps) {}

  Exit run(std::ostream& results) {
    session::Lowering as_is(scenario_, job_.machine);
    const session::Rehearsal faithful =
        rehearsed([&](strategy::Steps steps) { return as_is.lower(steps); }, job_.input);
    const session::Rehearsal mended = mended_or(faithful);
    const session::Rehearsal plain = rehearsed_plainly(job_);
    const session::Rehearsal alone = rehearsed_alone(job_);
    const Definitions definitions(*step_, faithful);
    const bool is_defined = !definitions.reasons.empty();
    std::vector<Compared> rows;
    for (const auto& [name, tensor] : alone.weights)
      rows.push_back(compared(name, faithful.weights.at(name), mended.weights.at(name),
                              plain.weights.at(name), tensor, is_defined));
    const bool is_rounding = std::ranges::all_of(
        rows, [](const Compared& row) { return row.rounding <= evidence::allowed_weight; });
    const auto followed = is_rounding ? std::optional<evidence::Neighbours::Followed>()
                                      : followed_by(mended, is_defined ? plain : alone, is_defined);
    results << text(rows, definitions, faithful, alone, followed.has_value());
    if (followed) results << tie_text(*followed, is_defined);
    return is_rounding || followed ? Exit::done : Exit::job_failed;
  }

 private:
  session::Rehearsal rehearsed(train::Lowering lower, const data::Distribution& input) {
    return rehearsed(job_, std::move(lower), input);
  }
  session::Rehearsal rehearsed(const scenario::Job& job, train::Lowering lower,
                               const data::Distribution& input) {
    return session::rehearse(scenario_, job, std::move(lower), input, queues_.queues(), steps_);
  }
  session::Rehearsal rehearsed_plainly(const scenario::Job& job) {
    return rehearsed(
        job, [&](strategy::Steps steps) { return plainly(steps); }, job_.input);
  }
  session::Rehearsal rehearsed_alone(const scenario::Job& job) {
    return rehearsed(job, [&](strategy::Steps steps) { return on_one_device(steps); }, {});
  }

  // Whether what is more than rounding is what the run that it is compared with does, too, an ulp aside.
  std::optional<evidence::Neighbours::Followed> followed_by(const session::Rehearsal& run,
                                                            const session::Rehearsal& standard,
                                                            bool is_plain) {
    return evidence::Neighbours({.first_weights = session::first_weights(scenario_, job_),
                                 .losses = session::losses_of(standard),
                                 .weights = standard.weights,
                                 .again =
                                     [&](const std::map<std::string, Tensor>& first) {
                                       scenario::Job job = job_;
                                       job.initial_weights = first;
                                       return is_plain ? rehearsed_plainly(job) : rehearsed_alone(job);
                                     }})
        .followed_by(run);
  }

  static std::string tie_text(const evidence::Neighbours::Followed& followed, bool is_plain) {
    return fmt::format(
        "~ by rounding: a tie, as in a pooling window, led the run elsewhere. So it leads {} ({:.0e}) when "
        "first weights are moved by an ulp at most; from that run, number {} that was tried, it is {:.0e}\n",
        is_plain ? "replicas that are added on the first" : "one device", followed.neighbour.weight,
        followed.number + 1, followed.from.weight);
  }

  session::Rehearsal mended_or(const session::Rehearsal& faithful) {
    if (mended_.strategy == nullptr) return faithful;
    scenario::Scenario mended = scenario_;
    mended.strategy = strategy::AnyStrategy(mended_.strategy->clone());
    session::Lowering lowering(mended, job_.machine);
    return rehearsed([&](strategy::Steps steps) { return lowering.lower(steps); }, job_.input);
  }

  // All on the first replica, in order.
  plan::Plan plainly(strategy::Steps steps) {
    std::vector<strategy::Place> places = strategy::places(job_.machine);
    for (strategy::Place& place : places) place.task = 0;
    return strategy::lower_mirrored(steps, places,
                                    {.cross_device_ops = strategy::CrossDeviceOps::reduction_to_one_device});
  }

  plan::Plan on_one_device(strategy::Steps steps) {
    if (step_ == std::nullopt) step_ = *steps.front();
    return strategy::lower_default(*steps.front(), strategy::planned(job_.machine.device()));
  }

  static Compared compared(const std::string& name, const Tensor& faithful, const Tensor& mended,
                           const Tensor& plain, const Tensor& alone, bool is_defined) {
    return {.tensor = name,
            .definition = is_defined ? relative_difference(plain, alone) : 0,
            .bug = relative_difference(faithful, mended),
            .rounding = is_defined ? relative_difference(mended, plain) : relative_difference(mended, alone)};
  }

  std::string text(const std::vector<Compared>& rows, const Definitions& definitions,
                   const session::Rehearsal& replicas, const session::Rehearsal& alone, bool has_tie) const {
    std::string text =
        fmt::format("{} of {} against one device, {} of {}\n", name_of_strategy(),
                    counted(job_.input.replicas, "replica"), counted(std::ssize(replicas.steps), "step"),
                    counted(job_.global_batch, "row"));
    double loss = 0;
    for (std::size_t i = 0; i < alone.steps.size() && i < replicas.steps.size(); ++i)
      loss = std::max(loss, relative_difference(replicas.steps[i].loss, alone.steps[i].loss));
    std::vector<TableRow> table{{"tensor", "by definition", "by a bug", "by rounding"}};
    for (const Compared& row : rows)
      table.push_back(
          {row.tensor, cell(row.definition), cell(row.bug),
           cell(row.rounding) + (has_tie && row.rounding > evidence::allowed_weight ? " ~" : "")});
    text += print_table(table, "l");
    text += fmt::format("losses: {} (relative, the worst step)\n", cell(loss));
    for (const std::string& reason : definitions.reasons) text += fmt::format("by definition: {}\n", reason);
    const bool has_bug = std::ranges::any_of(rows, [](const Compared& row) { return row.bug > 0; });
    if (has_bug) text += fmt::format("by a bug of TensorFlow: {}\n", mended_.bug);
    return text;
  }

  std::string_view name_of_strategy() const { return scenario_.strategy->name(); }
  static std::string cell(double number) { return number == 0 ? "0" : fmt::format("{:.1e}", number); }

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  std::int64_t steps_;
  strategy::Mended mended_{scenario_.strategy->mended(job_.machine)};
  std::optional<Step> step_{};  // one device's
  device::Workers workers_{device::hardware_threads()};
  session::HostQueues queues_{scenario_, job_.machine, workers_};
};

Exit compare(const VerifyStrategiesOptions& options, const Streams& streams) {
  const scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  if (scenario.numerics == scenario::Numerics::none)
    throw InputError(Problem{scenario.place("numerics"), "shapes have no numbers to compare",
                             "add --set numerics=cpu, or take a smaller model"});
  const scenario::Job job = scenario::build(scenario);
  tell_warnings(job.machine, streams.messages);
  return Comparison(scenario, job, options.steps).run(streams.results);
}

}  // namespace

Exit verify_strategies(const VerifyStrategiesOptions& options, const Streams& streams) {
  if (options.file.empty() == options.oracles.empty())
    throw InputError("verify strategies wants a scenario, or --oracles and a folder", "name one of the two");
  if (options.steps < 1)
    throw InputError(fmt::format("--steps {}: there must be one at least", options.steps), "");
  for (const int replicas : options.replicas)
    if (replicas < 1 || replicas > 64)
      throw InputError(fmt::format("--replicas {}: from 1 to 64", replicas), "");
  if (!options.file.empty()) return compare(options, streams);
  return OracleTable(evidence::read_oracles(options.oracles), options).run(streams.results);
}

}  // namespace wt::cli
