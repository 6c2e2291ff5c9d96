// `windtunnel calibrate --nccl` and `--step` turn what a user measured on real machines into a platform file with a
// section "calibration", by which later predictions for these machines are corrected.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <deque>
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/output/place.h"
#include "base/plausible.h"
#include "base/rough.h"
#include "base/table.h"
#include "base/utf8.h"
#include "cli/calibrate_platform.h"
#include "cli/collective_measured.h"
#include "cli/collective_question.h"
#include "communication/collective_clock.h"
#include "platform/load.h"
#include "scenario/parse.h"
#include "session/compute_times.h"
#include "study/calibration/collectives.h"
#include "study/calibration/steps.h"

namespace wt::cli {

namespace {

using communication::MeasuredTable;

std::string tenths(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string file_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

// Writes the platform's content with the calibration. The new text is read once before, because a file whose
// relative names lead nowhere would be of no use.
void write_platform(const std::string& as, const json::Value& content, const platform::Calibration& found,
                    std::ostream& results) {
  const std::string text = platform::with_calibration(content, found);
  platform::from_json(json::parse(text, as), std::filesystem::path(as).parent_path());
  write_text(as, text);
  results << fmt::format("{}: \"platform\": \"{}\" in a scenario, and --platform {}, use what was found\n",
                         as, as, as);
}

void add_source(platform::Calibration& found, const std::string& source) {
  found.source += (found.source.empty() ? "" : "; ") + source;
}

// ---- Tables of nccl-tests

// A table and the machines on which it was measured.
struct Placed {
  platform::Platform platform;
  MeasuredTable table{};
  communication::CollectiveQuestion question{};
  std::optional<communication::Group> group{};
};

class NcclTables {
 public:
  explicit NcclTables(const CalibrateOptions& options) : options_(options) {
    for (const std::string& text : options.overrides) parameters_.push_back(platform::parse_parameter(text));
    const platform::Platform described = platform::load(options.platform, parameters_).platform;
    if (described.calibration() != nullptr) calibration_ = *described.calibration();
    const std::vector<MeasuredTable> tables = read_measured(options.nccl);
    for (std::size_t i = 0; i < tables.size(); ++i) place(tables[i], options.nccl[i]);
    for (Placed& placed : placed_) add_calls(placed);
    if (calls_.empty())
      throw InputError("the tables have no row with an element for each rank", "measure larger sizes");
  }

  const std::vector<study::MeasuredCall>& calls() const { return calls_; }
  json::Value content() const { return platform::content(options_.platform, parameters_); }
  const platform::Calibration& calibration() const { return calibration_; }  // an earlier one

 private:
  // As many machines, with as many devices each, as the table says it had. A table that lists no ranks has all
  // devices of the platform, unless --ranks is given.
  void place(const MeasuredTable& table, const std::string& file) {
    platform::Platform described = platform::load(options_.platform, parameters_).platform;
    const std::int64_t ranks = table.ranks.value_or(options_.ranks.value_or(described.devices()));
    const std::int64_t each = std::ssize(described.devices_of(0));
    const std::int64_t machines = table.machines.value_or((ranks + each - 1) / each);
    if (ranks != described.devices() && machines > 1) {
      platform::Parameters parameters = parameters_;
      parameters.push_back(platform::parse_parameter(fmt::format("machines={}", machines)));
      if (ranks % machines == 0 && ranks / machines < each)
        parameters.push_back(platform::parse_parameter(fmt::format("devices={}", ranks / machines)));
      described = platform::load(options_.platform, parameters).platform;
    }
    if (ranks > described.devices() || ranks < 1)
      throw InputError(Problem{Place{.file = file},
                               fmt::format("lists {}, and {} has {}", counted(ranks, "rank"),
                                           described.name(), counted(described.devices(), "device")),
                               "describe the machines that were measured: --set machines=N"});
    placed_.push_back(
        {.platform = described.with_calibration({}), .table = table, .question = question(table, file)});
    Placed& placed = placed_.back();
    placed.group.emplace(communication::first_devices(placed.platform, static_cast<int>(ranks)));
  }

  communication::CollectiveQuestion question(const MeasuredTable& table, const std::string& file) const {
    CollectiveOptions collective{.platform = options_.platform};
    if (!options_.launch.empty()) collective.launch = options_.launch;
    if (options_.launch.empty() && table.driven.value_or(1) > 1)
      collective.devices_per_process = static_cast<int>(*table.driven);
    collective.type = table.rows.front().type;
    if (table.operation) collective.operation = std::string(collective::name(*table.operation));
    for (const communication::MeasuredRow& row : table.rows)
      if (row.type != collective.type)
        throw InputError(
            Problem{Place{.file = file},
                    fmt::format("has times of vectors of {} and of {}", collective.type, row.type),
                    "give a table of one type"});
    return question_of(collective);
  }

  void add_calls(Placed& placed) {
    const communication::CollectiveClock clock(placed.question, {*placed.group});
    const std::int64_t least = std::int64_t{placed.question.type.bytes} * placed.group->size();
    for (const communication::MeasuredRow& row : placed.table.rows) {
      if (row.bytes < Bytes(least)) continue;
      calls_.push_back({.group = &*placed.group,
                        .call = clock.library_call(row.bytes),
                        .type = placed.question.type.timed_as,
                        .time = row.out_of_place.time});
    }
  }

  const CalibrateOptions& options_;
  platform::Calibration calibration_{};
  platform::Parameters parameters_{};
  std::deque<Placed> placed_{};  // whose platforms groups refer to
  std::vector<study::MeasuredCall> calls_{};
};

void print(const study::CollectiveFit& fit, std::ostream& out) {
  std::vector<TableRow> lines{
      {"collectives", "library", "rows", "latencies", "rates", "error before", "after", "other sizes"}};
  for (const study::FittedCalls& row : fit.calls) {
    const Seconds start = row.factors.start;
    lines.push_back(
        {row.is_between ? "between machines" : "within a machine", row.library, std::to_string(row.rows),
         row.library == "wires" ? "+" + rough(start) : fmt::format("x {:.2f}", row.factors.latency),
         fmt::format("x {:.2f}", row.factors.rate), tenths(row.before), tenths(row.after),
         row.held_out > 0 ? tenths(row.held_out) : "-"});
  }
  out << print_table(lines, "llrrrrrr")
      << "error: mean of |predicted / measured - 1|; other sizes: of every other size, predicted by the "
         "remaining "
         "ones\n";
}

// Calls that stay far off with the best factors were probably measured on another machine.
void note_poor_fits(const study::CollectiveFit& fit, const CalibrateOptions& options,
                    std::ostream& messages) {
  constexpr double poor = 0.3;
  for (const study::FittedCalls& row : fit.calls)
    if (row.after > poor)
      messages << fmt::format(
          "note: calls of {} {} stay {} off in the mean; is {} what was measured? `windtunnel collective "
          "--platform "
          "{} --measured FILE` lays the table beside the predictions\n",
          row.library, row.is_between ? "between machines" : "within a machine", tenths(row.after),
          options.platform, options.platform);
}

Exit calibrate_collectives(const CalibrateOptions& options, const Streams& streams) {
  const NcclTables tables(options);
  const study::CollectiveFit fit = study::fit_collectives(tables.calls());
  print(fit, streams.results);
  note_poor_fits(fit, options, streams.messages);
  if (options.as.empty()) return Exit::done;
  platform::Calibration found = tables.calibration();
  if (fit.factors.inside) found.inside = fit.factors.inside;
  if (fit.factors.between) found.between = fit.factors.between;
  add_source(found, fmt::format("nccl-tests: {}, {}", file_names(options.nccl), session::today()));
  write_platform(options.as, tables.content(), found, streams.results);
  return Exit::done;
}

// ---- Steps

study::MeasuredStepOf step_named(const std::string& text) {
  const std::size_t equals = text.find('=');
  study::MeasuredStepOf step;
  const char* const end = text.data() + (equals == std::string::npos ? 0 : equals);
  const auto [stop, error] = std::from_chars(text.data(), end, step.replicas);
  if (equals == std::string::npos || error != std::errc() || stop != end || step.replicas < 1)
    throw InputError(fmt::format("--step {} is not a number of replicas and a time", text),
                     "write it as 8=118ms");
  step.time = parse<Seconds>(text.substr(equals + 1));
  if (!(step.time > Seconds(0)) || !is_plausible(step.time))
    throw InputError(fmt::format("--step {}: a step can't take {}", text, step.time), "give a time above 0");
  return step;
}

void print(const study::StepFit& fit, std::ostream& out) {
  std::vector<TableRow> lines{{"replicas", "measured", "predicted before", "after", "error"}};
  for (const study::FittedStep& step : fit.steps)
    lines.push_back({std::to_string(step.measured.replicas), rough(step.measured.time), rough(step.before),
                     rough(step.after),
                     fmt::format("{:+.1f} %", 100 * (step.after / step.measured.time - 1))});
  out << print_table(lines, "rrrrr");
  out << fmt::format("kernels: x {:.3f} of their predicted times\n", *fit.calibration.kernels);
  if (const auto& meeting = fit.calibration.synchronization)
    out << fmt::format("synchronization: the times of devices spread by {:.2f} %, and {} in each step\n",
                       100 * meeting->spread, rough(meeting->process));
}

Exit calibrate_steps(const CalibrateOptions& options, const Streams& streams) {
  std::vector<study::MeasuredStepOf> measured;
  for (const std::string& text : options.steps) measured.push_back(step_named(text));
  streams.messages
      << "fitting: steps are simulated with one factor after another until they take as long as measured\n";
  study::StepFit fit = study::fit_steps(options.file, options.overrides, measured);
  print(fit, streams.results);
  constexpr double far = 4;
  if (const double factor = *fit.calibration.kernels; factor > far || factor < 1 / far)
    streams.messages << fmt::format(
        "note: kernels are {:.3g} times as long as predicted, which no device of the catalogue is; does the "
        "scenario "
        "have the model, batch, precision, loop and input that were measured?\n",
        factor);
  if (options.as.empty()) return Exit::done;
  const scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  add_source(fit.calibration, fmt::format("steps of {}: {}, {}", printable(scenario.name),
                                          fmt::join(options.steps, ", "), session::today()));
  write_platform(options.as, platform::content(*scenario.platform.written, scenario.platform.folder),
                 fit.calibration, streams.results);
  return Exit::done;
}

}  // namespace

bool takes_measurements(const CalibrateOptions& options) {
  return !options.nccl.empty() || !options.steps.empty();
}

Exit calibrate_platform(const CalibrateOptions& options, const Streams& streams) {
  if (!options.as.empty()) output::require_writable(options.as, "--as");
  if (!options.steps.empty()) {
    if (options.file.empty()) throw InputError("--step needs the scenario of the training", "name its file");
    return calibrate_steps(options, streams);
  }
  if (options.platform.empty())
    throw InputError("--nccl needs the machines that were measured", "name them with --platform");
  return calibrate_collectives(options, streams);
}

}  // namespace wt::cli
