#include "cli/sweep.h"

#include <fmt/format.h>

#include <ostream>

#include "base/interruption.h"
#include "base/rough.h"
#include "cli/arguments.h"
#include "cli/counted_progress.h"
#include "cli/processes.h"
#include "cli/report.h"
#include "scenario/parse.h"
#include "sweep/carry_out.h"
#include "sweep/read.h"
#include "sweep/tables.h"

namespace wt::cli {

namespace {

constexpr std::size_t most_shown = 20;  // rows of the table that is printed

std::string folder_of(const sweep::Sweep& sweep, const sweep::Shard& shard, const std::string& out) {
  if (!out.empty()) return out;
  const std::string folder = "out/" + scenario::slug(sweep.name);
  return shard.of == 1 ? folder : fmt::format("{}.shard_{}_of_{}", folder, shard.number, shard.of);
}

std::int64_t timed_points(const sweep::Ending& ending) {
  const auto outcome = std::ranges::find(ending.header.columns, "outcome") - ending.header.columns.begin();
  return std::ranges::count_if(ending.rows, [&](const auto& entry) {
    return entry.second[static_cast<std::size_t>(outcome)] == report::Field("done");
  });
}

void print(const sweep::Ending& ending, const std::string& folder, const SweepOptions& options,
           const Streams& streams) {
  if (options.json) {
    streams.results << sweep::json(ending.header, ending.rows);
  } else if (options.csv) {
    streams.results << sweep::csv(ending.header, ending.rows);
  } else {
    const auto rows = static_cast<std::int64_t>(ending.rows.size());
    if (rows > static_cast<std::int64_t>(most_shown))
      streams.results << fmt::format("the fastest {} of {}:\n", most_shown, counted(rows, "point"));
    streams.results << sweep::table(ending.header, ending.rows, most_shown);
    streams.results << fmt::format("{} of {} timed; results: {}\n", timed_points(ending),
                                   counted(rows, "point"), folder);
  }
}

sweep::Ending carry_out(const sweep::Sweep& sweep, sweep::Options& options, std::ostream& messages) {
  CountedProgress progress(messages, "point");
  const Interruption interruption;
  options.on_progress = [&](std::int64_t done, std::int64_t points) { progress.show(done, points); };
  options.is_stopped = [] { return received_signal() != 0; };
  return sweep::carry_out(sweep, options);
}

sweep::Sweep read(const SweepOptions& options) {
  sweep::Further further{.axes = options.axes, .overrides = options.overrides};
  for (std::string& text : price_overrides(options.prices)) further.overrides.push_back(std::move(text));
  return sweep::read(options.file, further);
}

// The first rank says what is wrong with the input, and then lets the others end.
Exit assist(const SweepOptions& options, sweep::Ranks& ranks) {
  const Interruption ignored;  // mpirun sends signals to all ranks, and the first one decides.
  try {
    sweep::assist(read(options), ranks);
  } catch (const InputError&) {
    ranks.serve([](std::int64_t) { return std::string(); });
  }
  return Exit::done;
}

}  // namespace

Exit sweep(const SweepOptions& options, const Streams& streams) {
  const std::unique_ptr<sweep::Ranks> ranks = sweep::Ranks::of_this_process();
  if (ranks && !ranks->is_first()) return assist(options, *ranks);
  const sweep::Sweep sweep = read(options);
  const sweep::Shard shard = options.shard.empty() ? sweep::Shard{} : sweep::parse_shard(options.shard);
  const std::string folder = folder_of(sweep, shard, options.out);
  sweep::Options how{.folder = folder,
                     .processes = processes_of(options.processes),
                     .shard = shard,
                     .anew = options.restart,
                     .version = std::string(version()),
                     .ranks = ranks.get()};
  try {
    const sweep::Ending ending = carry_out(sweep, how, streams.messages);
    if (ending.found > 0)
      streams.messages << fmt::format("{} of {} were there from an earlier sweep\n", ending.found,
                                      counted(ending.points, "point"));
    if (!ending.is_complete()) {
      streams.messages << fmt::format(
          "interrupted: {} of {} are done and stay in {}; the same command continues\n", ending.rows.size(),
          counted(ending.points, "point"), folder);
      return Exit::interrupted;
    }
    print(ending, folder, options, streams);
    if (options.report) report_on(folder, streams.messages);
    return timed_points(ending) > 0 ? Exit::done : Exit::job_failed;
  } catch (const MachineError& error) {
    streams.messages << error.what() << "\n"
                     << fmt::format("the rows that are written stay in {}; the same command continues\n",
                                    folder);
    return Exit::job_failed;
  }
}

Exit merge(const MergeOptions& options, const Streams& streams) {
  const std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  const std::string folder = options.out.empty()
                                 ? "out/" + scenario::slug(sweep::read_log(folders.front()).header.name)
                                 : options.out;
  const sweep::Ending ending = sweep::merge(folders, folder, options.restart);
  print(ending, folder, {}, streams);
  if (options.report) report_on(folder, streams.messages);
  return timed_points(ending) > 0 ? Exit::done : Exit::job_failed;
}

Command sweep_command(CLI::App& program) {
  return declare(
      program, "sweep", "Times the steps of a grid of scenarios, and writes a table of them", sweep,
      [](CLI::App& command, SweepOptions& options) {
        command.add_option("FILE", options.file, "The sweep; or a scenario, if there is an --axis")
            ->required();
        command
            .add_option("--axis", options.axes,
                        "A key and its values, as in machines=1..64x2 or platform=dgx_a100,dgx_h100; may be "
                        "repeated, and `list axes` has short names")
            ->type_name("KEY=VALUES")
            ->allow_extra_args(false);
        add_overrides(command, options.overrides);
        add_prices(command, options.prices);
        command.add_option(
            "--out", options.out,
            "Folder of the results; a sweep that lies there is continued; default: out/<name>");
        command.add_option("--processes", options.processes,
                           "Number of processes that share the points; default: one for each processor");
        command.add_option("--shard", options.shard,
                           "A part of the points, as in 2/3 for the second of three; `merge` joins them");
        command.add_flag("--restart", options.restart,
                         "Drops the rows that lie in the folder, and starts anew");
        add_report_of_results(command, options.report);
        CLI::Option* json = command.add_flag("--json", options.json, "Prints sweep.json");
        CLI::Option* csv = command.add_flag("--csv", options.csv, "Prints sweep.csv");
        json->excludes(csv);
      });
}

Command merge_command(CLI::App& program) {
  return declare(program, "merge", "Joins the results of a sweep's shards", merge,
                 [](CLI::App& command, MergeOptions& options) {
                   command.add_option("FOLDER", options.folders, "The folders of all shards")->required();
                   command.add_option("--out", options.out,
                                      "Folder of the joined results; default: out/<name>");
                   add_report_of_results(command, options.report);
                   command.add_flag("--restart", options.restart, "Drops the rows that lie in that folder");
                 });
}

}  // namespace wt::cli
