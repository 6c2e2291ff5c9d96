#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>

#include "base/interruption.h"
#include "base/rough.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_folder.h"
#include "report/comparison.h"
#include "report/ending.h"
#include "report/planned.h"
#include "report/results.h"
#include "report/scaling.h"
#include "report/simulated.h"
#include "report/summary.h"
#include "report/sureness.h"
#include "report/trace.h"
#include "report/trained.h"
#include "scenario/own_log.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "session/compute_times.h"
#include "session/saved_state.h"
#include "session/this_host.h"
#include "session/training.h"
#include "study/sureness.h"

namespace wt::cli {

namespace {

void warn_of_losses_that_are_none(const session::Results& results, std::ostream& messages) {
  for (const train::StepResult& step : results.steps) {
    if (std::isfinite(step.loss)) continue;
    messages << fmt::format(
        "warning: from step {} on the loss is no number any more; a smaller learning rate may help\n",
        step.step + 1);
    return;
  }
}

void warn_of_uneven_means(const session::Results& results, std::ostream& messages) {
  const auto uneven = std::ranges::find_if(results.steps, &train::StepResult::is_uneven_mean);
  if (uneven != results.steps.end())
    messages << fmt::format(
        "warning: in step {} replicas have different numbers of rows, and fit weighs replicas, not rows\n",
        uneven->step + 1);
}

// The times that were used lie beside the results, so that a run can be repeated with the same ones.
void write_profile(const session::ComputeTimes& compute, scenario::Scenario& scenario, OutputFolder& folder) {
  if (!compute.profile()) return;
  folder.write("profile.json", print(*compute.profile()));
  scenario.time.compute.form =
      scenario::ProfileChoice{.profile = {(folder.path() / "profile.json").string()}};
}

// Empty: it was done.
std::string end_of(const session::Results& results) {
  if (results.fault)
    return fmt::format(
        "TensorFlow ends this job {} with\n  {}\n{}; \"faithful\": false trains on\n",
        results.fault->step == 0 ? "before its first step" : "after " + counted(results.fault->step, "step"),
        report::fault_text(*results.fault), results.fault->fault.remedy);
  if (results.timed_out) return report::timed_out_text(*results.timed_out);
  return results.lost ? report::lost_text(*results.lost) : "";
}

timing::StepPicture picture_of(session::Training& training) {
  const plan::Plan& plan = training.plans().whole();
  const timing::Simulation& step = training.clock().step();
  const cluster::Machine& machine = training.machine();
  return timing::picture_of(plan, step.timeline, step.shown, *machine.platform,
                            timing::endpoints_of(plan, machine));
}

// How sure the simulated step is. Absent: none is simulated.
std::optional<study::Sureness> sureness_of(const session::Results& results,
                                           const scenario::Scenario& scenario,
                                           const session::Training& training) {
  if (!results.simulated) return std::nullopt;
  return study::sureness_of(scenario, training.machine(), results.planned, *results.simulated);
}

void write(const session::Results& results, const study::Sureness* sureness,
           const scenario::Scenario& scenario, session::Training& training, OutputFolder& folder) {
  folder.write("scenario.resolved.json", scenario::resolved(scenario, folder.path()));
  if (results.has_numbers()) folder.write("steps.csv", report::steps_csv(results));
  folder.write("results.json", report::results_json(results, sureness));
  if (results.simulated) {
    folder.write("trace.json", report::chrome_trace(picture_of(training), training.machine().platform->name(),
                                                    training.plans().whole().name, end_of(results)));
  }
  // Incomplete results don't replace what may be complete.
  if (!results.interrupted)
    folder.commit();
  else if (folder.replaces())
    folder.leave();
  else
    folder.commit_incomplete();
}

void print(const session::Results& results, const study::Sureness* sureness, const RunOptions& options,
           const std::string& folder, const Streams& streams) {
  if (options.json) {
    streams.results << report::results_json(results, sureness);
  } else if (options.csv) {
    streams.results << report::steps_csv(results);
  } else {
    streams.results << report::summary_text(results, sureness);
    if (options.verbose) {
      streams.results << "\n" << report::planned_text(results.planned);
      if (results.simulated) streams.results << report::simulated_text(results.planned, *results.simulated);
    }
    if (!results.epochs.empty()) streams.results << "\n";
    streams.results << report::epochs_table(results) << report::beside_text(results)
                    << report::target_text(results) << report::predictions_text(results)
                    << "results: " << folder << "\n";
  }
}

// A scenario that is read and checked to the end: what is left can be run.
class Prepared {
 public:
  Prepared(scenario::Scenario scenario, const std::string& out, const RunOptions& options,
           const Streams& streams)
      : scenario_(std::move(scenario)),
        streams_(streams),
        reports_(options.report),
        folder_(out),
        times_(scenario_, {.threads = session::threads_of(options.threads, scenario_),
                           .version = std::string(version()),
                           .today = session::today(),
                           .note = [this](const std::string& text) { note(text); }}),
        training_(
            scenario_, scenario::build(scenario_),
            {.threads = session::threads_of(options.threads, scenario_),
             .computes = !options.plan,
             .version = std::string(version()),
             .simulation = {.times = &times_},
             .on_begin = [this] { line_->begin_steps(); },
             .on_step = [this](const train::StepResult& step) { line_->show(step); },
             .on_evaluation_step = [this](std::int64_t done,
                                          std::int64_t all) { line_->show_evaluation(done, all); },
             .note = [this](const std::string& text) { note(text); },
             .print = [this, is_data = options.json ||
                                       options.csv](const std::string& line) { print_line(line, is_data); },
             .interrupted_by = [] { return received_signal() == 0 ? "" : name_of(received_signal()); }}) {
    if (const std::string text = session::note_on_threads(session::threads_of(options.threads, scenario_));
        !text.empty())
      note(text);
    const cluster::Machine& machine = training_.machine();
    for (const std::string& text : scenario::own_log(scenario_, machine)) note(text);
    for (const std::string& text : scenario_.strategy->ignored_options(machine)) note("note: " + text);
    print_warnings(training_.machine(), streams_.messages);
    print_notes(training_.notes(), streams_.messages);
    note_long_planning();
    training_.plans().whole();
    if (scenario_.faithful.value_or(false)) print_faults(training_.faults(), streams_.messages);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  session::Training& training() { return training_; }
  std::string place_of(const session::Results& results) const {
    return cli::place_of(folder_, results).string();
  }
  std::string folder() const { return folder_.path().string(); }
  // Of the simulated step. Null before the run, and if none is simulated.
  const study::Sureness* sureness() const { return sureness_ ? &*sureness_ : nullptr; }

  // Refuses places that can't be written, before the work.
  void begin() {
    const std::string identity = identity_of(scenario_, folder_);
    folder_.begin(identity);
    note_leftovers(folder_, identity, scenario_, streams_.messages);
    session::require_output_places(scenario_, folder_);
  }

  session::Results run() {
    const session::Planned planned = training_.plans().planned();
    Progress progress(streams_.messages, planned.steps, wall_clock, !planned.is_inference);
    line_ = &progress;
    const session::Results results = run_to_the_end(progress);
    sureness_ = sureness_of(results, scenario_, training_);
    write_all(results);
    warn_of_losses_that_are_none(results, streams_.messages);
    warn_of_uneven_means(results, streams_.messages);
    if (reports_) report_on(place_of(results), streams_.messages);
    return results;
  }

 private:
  // A step with 16,000 weights is planned in 20 s; BERT-large has 400, and is planned in less than a second.
  void note_long_planning() const {
    constexpr std::size_t many = 2000;
    if (training_.weights() > many)
      streams_.messages << fmt::format("planning a step with {} takes seconds or more\n",
                                       counted(static_cast<std::int64_t>(training_.weights()), "weight"))
                        << std::flush;
  }

  // What the scenario's own program prints. Where standard output is data for scripts, it is a message.
  void print_line(const std::string& line, bool is_data) const {
    (is_data ? streams_.messages : streams_.results) << line << "\n";
  }

  void note(const std::string& text) const { streams_.messages << text << "\n"; }

  session::Results run_to_the_end(Progress& progress) {
    // A run without numbers has no steps after which it could end.
    std::optional<Interruption> interruption;
    if (scenario_.numerics != scenario::Numerics::none) interruption.emplace();
    try {
      session::Results results = training_.run(folder_);
      progress.finish();
      return results;
    } catch (...) {
      progress.finish();
      name_what_is_kept();
      throw;
    }
  }

  void write_all(const session::Results& results) {
    try {
      write_profile(times_, scenario_, folder_);
      write(results, sureness(), scenario_, training_, folder_);
    } catch (...) {
      name_what_is_kept();
      throw;
    }
    if (results.interrupted) explain_interruption(results, scenario_, folder_, streams_.messages);
  }

  void name_what_is_kept() const {
    if (folder_.is_kept())
      streams_.messages << "the run did not finish; what it has saved stays in "
                        << folder_.unfinished().string() << "\n";
  }

  scenario::Scenario scenario_;
  const Streams& streams_;
  const bool reports_;
  OutputFolder folder_;
  Progress* line_ = nullptr;
  session::ComputeTimes times_;
  session::Training training_;
  std::optional<study::Sureness> sureness_{};
};

scenario::Scenario read(const std::string& file, const RunOptions& options, const Streams& streams) {
  scenario::Scenario scenario = scenario::parse_file(file, overrides_of(file, options));
  apply_tf_config(options.tf_config, scenario, streams.messages);
  session::check_output_names(scenario);
  return scenario;
}

Exit run_one(const RunOptions& options, const Streams& streams) {
  scenario::Scenario scenario = read(options.files.front(), options, streams);
  const std::string out = options.out.empty() ? "out/" + scenario::slug(scenario.name) : options.out;
  Prepared prepared(std::move(scenario), out, options, streams);
  if (options.plan) {
    streams.results << plan::print(prepared.training().plans().whole());
    return Exit::done;
  }
  if (options.log_device_placement)
    for (const strategy::ReplicaPlacement& replica : prepared.training().plans().placements())
      for (const std::string& text : log_lines(replica.placement)) streams.messages << text << "\n";
  prepared.begin();
  const session::Results results = prepared.run();
  print(results, prepared.sureness(), options, results.interrupted ? prepared.place_of(results) : out,
        streams);
  if (results.interrupted) return Exit::interrupted;
  if (!results.out_of_memory) {
    streams.messages << end_of(results);
    return results.last_step() ? Exit::job_failed : Exit::done;
  }
  print_memory(prepared.training(), {streams.messages, streams.messages});
  return Exit::job_failed;
}

// ---- Several

// Everything that is wrong with any of them, before the first one runs.
std::vector<std::unique_ptr<Prepared>> prepare_all(const RunOptions& options, const Streams& streams) {
  const std::string around = options.out.empty() ? "out" : options.out;
  std::vector<std::unique_ptr<Prepared>> all;
  std::map<std::string, std::string> files;  // by folder of results
  Problems problems;
  for (const std::string& file : options.files) {
    try {
      scenario::Scenario scenario = read(file, options, streams);
      const std::string out = (std::filesystem::path(around) / scenario::slug(scenario.name)).string();
      const auto [other, is_new] = files.try_emplace(out, file);
      if (is_new)
        all.push_back(std::make_unique<Prepared>(std::move(scenario), out, options, streams));
      else
        problems.add(scenario.place("name"),
                     fmt::format("{} and {} would both write their results to {}", other->second, file, out),
                     "give one of them another name");
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return all;
}

void begin_all(const std::vector<std::unique_ptr<Prepared>>& all) {
  Problems problems;
  for (const auto& prepared : all) {
    try {
      prepared->begin();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
}

void print_comparison(const std::vector<session::Results>& runs,
                      const std::vector<const study::Sureness*>& sureness, const RunOptions& options,
                      std::ostream& results) {
  report::Records records = report::comparison(runs);
  std::vector<double> rates;
  for (const session::Results& run : runs)
    rates.push_back(run.simulated ? run.simulated->samples_per_second : 0);
  report::add_sureness_columns(records, sureness, rates);
  if (options.csv) {
    results << report::csv(records);
  } else if (options.json) {
    json::Writer out;
    out.begin_object().key("rows");
    report::write(out, records);
    results << out.end_object().text();
  } else {
    results << report::table(records) << report::note_on_bases(sureness) << report::notes_on_costs(runs);
  }
}

Exit compare(const RunOptions& options, const Streams& streams) {
  if (options.plan || options.log_device_placement)
    throw InputError(fmt::format("{} is for one scenario, and there are several",
                                 options.plan ? "--plan" : "--log-device-placement"),
                     "name one of them");
  const std::vector<std::unique_ptr<Prepared>> all = prepare_all(options, streams);
  begin_all(all);
  std::vector<session::Results> runs;
  for (const auto& prepared : all) {
    runs.push_back(prepared->run());
    const bool is_last = runs.size() == all.size();
    if (!runs.back().interrupted && (received_signal() == 0 || is_last)) continue;
    for (std::size_t next = runs.size(); next < all.size(); ++next)
      streams.messages << "not run: " << options.files[next] << "\n";
    return Exit::interrupted;
  }
  std::vector<const study::Sureness*> sureness;
  for (const auto& prepared : all) sureness.push_back(prepared->sureness());
  print_comparison(runs, sureness, options, streams.results);
  if (const std::string text = report::warning_of_versions(runs); !text.empty())
    streams.messages << "warning: " << text << "\n";
  if (!options.csv && !options.json)
    for (const auto& prepared : all) streams.results << "results: " << prepared->folder() << "\n";
  const bool all_done =
      std::ranges::none_of(runs, [](const auto& run) { return run.out_of_memory || run.last_step(); });
  return all_done ? Exit::done : Exit::job_failed;
}

// ---- A number of replicas each

Exit run_scaling(const RunOptions& options, const Streams& streams) {
  const std::string& file = options.files.front();
  const study::Scaling scaling = study::scaling_of(file, overrides_of(file, options), options.replicas);
  for (const session::Forecast& forecast : scaling.forecasts)
    if (!forecast.chosen_strategy.empty())
      streams.messages << fmt::format("note: {}: {}\n", counted(forecast.planned.replicas, "replica"),
                                      forecast.chosen_strategy);
  streams.results << (options.csv    ? report::csv(report::scaling_records(scaling))
                      : options.json ? report::scaling_json(scaling)
                                     : report::scaling_text(scaling));
  return scaling.all_fit() ? Exit::done : Exit::job_failed;
}

}  // namespace

Exit run(const RunOptions& options, const Streams& streams) {
  session::pin_isa(options.isa);
  if (!options.replicas.empty() && options.files.size() > 1)
    throw InputError("--replicas is for one scenario, and there are several", "name one of them");
  if (!options.replicas.empty()) return run_scaling(options, streams);
  return options.files.size() == 1 ? run_one(options, streams) : compare(options, streams);
}

}  // namespace wt::cli
