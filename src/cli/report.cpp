#include "cli/report.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/json.h"
#include "base/output/addition.h"
#include "report/page/page.h"
#include "report/page/run.h"
#include "scenario/parse.h"
#include "session/compute_times.h"
#include "session/training.h"
#include "sweep/log.h"
#include "sweep/page.h"

namespace wt::cli {

namespace {

namespace fs = std::filesystem;

// The step that the folder's results have, simulated again, since results.json doesn't hold what a picture needs.
class RunAgain {
 public:
  explicit RunAgain(const fs::path& folder)
      : file_((folder / "scenario.resolved.json").string()),
        results_(json::parse_file(folder / "results.json")),
        scenario_(shapes_alone(file_)),
        times_(scenario_, {}),
        training_(scenario_, scenario::build(scenario_),
                  {.simulation = {.times = &times_, .divided = timing::Divided::every}}) {}

  std::string name() const { return scenario_.name; }

  void write(json::Writer& out) {
    const session::Forecast forecast = training_.forecast();
    report::ShownRun run{.results = results_,
                         .plan = training_.plans().whole(),
                         .machine = training_.machine(),
                         .planned = forecast.planned};
    std::optional<timing::Simulation> step;
    if (forecast.simulated) {
      step = training_.clock().step();
      if (is_as_before(*forecast.simulated))
        run.step.emplace(report::ShownStep{
            .simulation = *step,
            .summary = *forecast.simulated,
            .sureness =
                study::sureness_of(scenario_, training_.machine(), forecast.planned, *forecast.simulated),
            .explanation = study::explain(file_, {}, scenario_, training_),
            .assumed = study::assumed(scenario_, training_.machine(), *forecast.simulated)});
      else
        run.notes.emplace_back(
            "the results are from another version of the program or of a platform, so the step isn't drawn; "
            "run the scenario again");
    }
    report::write_run(out, run);
  }

 private:
  static scenario::Scenario shapes_alone(const std::string& file) {
    scenario::Scenario scenario = scenario::parse_file(file, {});
    scenario.numerics = scenario::Numerics::none;
    return scenario;
  }

  bool is_as_before(const timing::Simulated& now) const {
    const json::Value* simulated = results_.find("simulated");
    const json::Value* step = simulated == nullptr ? nullptr : simulated->find("step_time_s");
    return step != nullptr && step->kind() == json::Kind::real &&
           std::abs(step->real() - now.step.count()) <= 1e-9 * now.step.count();
  }

  std::string file_;
  json::Value results_;
  scenario::Scenario scenario_;
  session::ComputeTimes times_;
  session::Training training_;
};

report::Entry entry_of(const fs::path& folder) {
  if (fs::exists(folder / "results.json")) {
    const auto run = std::make_shared<RunAgain>(folder);
    return {run->name(), [run](json::Writer& out) { run->write(out); }};
  }
  if (fs::exists(folder / "sweep.json")) {
    const auto found = std::make_shared<sweep::Found>(sweep::read_log(folder));
    return {found->header.name, [found](json::Writer& out) { write_page(out, found->header, found->rows); }};
  }
  throw InputError(fmt::format("\"{}\" has no results of a run or a sweep", folder.string()),
                   "name a folder that `run` or `sweep` has written");
}

}  // namespace

Exit report(const ReportOptions& options, const Streams& streams) {
  std::vector<report::Entry> entries;
  for (const std::string& folder : options.folders) entries.push_back(entry_of(folder));
  const std::string text = report::report_json(version(), entries);
  if (options.json || options.folders.size() > 1) {
    streams.results << text;
    return Exit::done;
  }
  output::add_file(options.folders.front(), "report.json", text);
  streams.results << fmt::format("report: {}\n",
                                 (fs::path(options.folders.front()) / "report.json").string());
  return Exit::done;
}

}  // namespace wt::cli
