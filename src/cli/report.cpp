#include "cli/report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "base/json.h"
#include "cli/arguments.h"
#include "cli/report_place.h"
#include "report/page/page.h"
#include "report/page/run.h"
#include "scenario/parse.h"
#include "session/compute_times.h"
#include "session/this_host.h"
#include "session/training.h"
#include "sweep/log.h"
#include "sweep/page.h"

namespace wt::cli {

namespace {

namespace fs = std::filesystem;

// A member of results.json that the page reads, by its keys. Those of an object that is there must be there, too, if they
// are needed.
struct ReadMember {
  std::vector<std::string_view> keys{};
  json::Kind kind{};
  bool is_needed = false;
};

// Adds a problem if the member has another kind, or is missing and needed.
void check_member(const json::Value& results, const ReadMember& member, Problems& problems) {
  const json::Value* value = &results;
  for (const std::string_view key : member.keys) {
    if (value->kind() != json::Kind::object) return;  // which its own row refuses
    const json::Value* inside = value->find(key);
    if (inside == nullptr) {
      if (member.is_needed && key == member.keys.back())
        problems.add(value->place(), fmt::format("this object has no \"{}\"", key), "run the scenario again");
      return;
    }
    value = inside;
  }
  if (value->kind() != member.kind)
    problems.add(value->place(),
                 fmt::format("expected {}, found {}", describe(member.kind), describe(value->kind())),
                 "run the scenario again");
}

// A file that was edited or damaged is refused.
json::Value results_in(const fs::path& file) {
  using json::Kind;
  static const std::vector<ReadMember> read{{{}, Kind::object},
                                            {{"planned"}, Kind::object},
                                            {{"simulated"}, Kind::object},
                                            {{"steps"}, Kind::array},
                                            {{"epochs"}, Kind::array},
                                            {{"failures"}, Kind::object},
                                            {{"failures", "goodput"}, Kind::real, true},
                                            {{"failures", "restarts"}, Kind::integer, true},
                                            {{"failures", "lost_steps"}, Kind::integer, true},
                                            {{"job"}, Kind::object},
                                            {{"job", "goodput"}, Kind::object},
                                            {{"job", "goodput", "share"}, Kind::real, true},
                                            {{"job", "goodput", "between_failures_s"}, Kind::real, true}};
  json::Value results = json::parse_file(file);
  Problems problems;
  for (const ReadMember& member : read) check_member(results, member, problems);
  problems.throw_if_any();
  return results;
}

// The step that the folder's results have, simulated again, since results.json doesn't hold what a picture needs.
class RunAgain {
 public:
  explicit RunAgain(const fs::path& folder)
      : file_((folder / "scenario.resolved.json").string()),
        results_(results_in(folder / "results.json")),
        scenario_(without_weights(file_)),
        times_(scenario_, {.threads = session::threads_of({}, scenario_)}),
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
  // The plan depends on whether there are numbers, and on no value of them.
  static scenario::Scenario without_weights(const std::string& file) {
    scenario::Scenario scenario = scenario::parse_file(file, {});
    scenario.model.weights.reset();
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

// Entries of a report that has no results beside it, as `recommend` and `collective` write one.
std::vector<report::Entry> entries_of_report(const fs::path& file) {
  const json::Value tree = json::parse_file(file);
  const bool is_object = tree.kind() == json::Kind::object;
  const json::Value* format = is_object ? tree.find("format") : nullptr;
  const json::Value* results = is_object ? tree.find("results") : nullptr;
  if (format == nullptr || format->kind() != json::Kind::string ||
      format->string() != report::report_format || results == nullptr || results->kind() != json::Kind::array)
    throw InputError(fmt::format("\"{}\" is no report", file.string()), "remove it, and write it again");
  std::vector<report::Entry> entries;
  for (const json::Value& entry : results->elements()) {
    const json::Value* name = entry.kind() == json::Kind::object ? entry.find("name") : nullptr;
    if (name == nullptr || name->kind() != json::Kind::string)
      throw InputError(Problem{entry.place(), "a result of a report has no name", "write the report again"});
    entries.push_back({std::string(name->string()), [tree, entry](json::Writer& out) {
                         out.begin_object(json::Layout::compact);
                         for (const json::Member& member : entry.members())
                           write_value(out.key(member.key), member.value);
                         out.end_object();
                       }});
  }
  return entries;
}

std::vector<report::Entry> entries_of(const fs::path& folder) {
  if (fs::exists(folder / "results.json")) {
    const auto run = std::make_shared<RunAgain>(folder);
    return {{run->name(), [run](json::Writer& out) { run->write(out); }}};
  }
  if (fs::exists(folder / "sweep.json")) {
    const auto found = std::make_shared<sweep::Found>(sweep::read_log(folder));
    return {
        {found->header.name, [found](json::Writer& out) { write_page(out, found->header, found->rows); }}};
  }
  if (fs::exists(folder / "report.json")) return entries_of_report(folder / "report.json");
  throw InputError(fmt::format("\"{}\" has no results of a run or a sweep, and no report", folder.string()),
                   "name a folder that `run`, `sweep`, `recommend` or `collective` has written");
}

std::vector<report::Entry> entries_of(const std::vector<std::string>& folders) {
  std::vector<report::Entry> entries;
  for (const std::string& folder : folders)
    for (report::Entry& entry : entries_of(fs::path(folder))) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace

Exit report(const ReportOptions& options, const Streams& streams) {
  report::require_renderer(options.pictures);
  const bool is_beside = options.out.empty() && options.folders.size() == 1;
  const std::string out = options.out.empty() ? "out/report" : options.out;
  if (!is_beside && !options.json) require_report_folder(out);
  const std::vector<report::Entry> entries = entries_of(options.folders);
  if (options.json)
    streams.results << report::report_json(version(), entries);
  else if (is_beside)
    write_report_beside(options.folders.front(), entries, options.pictures, streams.results);
  else
    write_report_folder(out, entries, options.pictures, streams.results);
  return Exit::done;
}

void report_on(const std::string& folder, std::ostream& messages) {
  write_report_beside(folder, entries_of(fs::path(folder)), {}, messages);
}

Command report_command(CLI::App& program) {
  return declare(
      program, "report", "Draws results of run, sweep, recommend or collective as a page, report.html",
      report, [](CLI::App& command, ReportOptions& options) {
        command
            .add_option("FOLDER", options.folders,
                        "Folders of results; the report of one is written into it, that of several into a "
                        "folder of its own")
            ->required();
        CLI::Option* out = command.add_option("--out", options.out,
                                              "Folder of the report, which is replaced; default of several: "
                                              "out/report");
        CLI::Option* svg =
            command.add_flag("--svg", options.pictures.svg, "Writes each chart as an SVG file, too");
        CLI::Option* png =
            command.add_flag("--png", options.pictures.png, "Writes each chart as a PNG file, too");
        command
            .add_flag("--json", options.json,
                      "Prints report.json, the figures of the page, and writes nothing")
            ->excludes(out)
            ->excludes(svg)
            ->excludes(png);
      });
}

}  // namespace wt::cli
