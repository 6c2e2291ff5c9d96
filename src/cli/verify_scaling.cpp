#include "cli/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <span>

#include "base/file.h"
#include "base/json_edit.h"
#include "base/median.h"
#include "base/output/place.h"
#include "base/rough.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "study/evidence/measurement_study.h"
#include "study/evidence/program_prediction.h"
#include "study/evidence/scaling_fit.h"
#include "study/evidence/scaling_prediction.h"

namespace wt::cli {

namespace {

using Group = std::span<const evidence::ScalingPrediction>;

// predicted / published - 1. Unset if there is no row to predict the throughput from.
using Error = std::optional<double>;

Error absolute_error(const evidence::ScalingPrediction& each) { return each.absolute / each.row->value - 1; }
Error scaling_error(const evidence::ScalingPrediction& each) {
  return each.scaled ? Error(*each.scaled / each.row->value - 1) : Error();
}

std::string signed_percent(Error error) { return error ? fmt::format("{:+.1f} %", 100 * *error) : "-"; }

// ---- One group

std::vector<double> sizes(Group group, Error (*of)(const evidence::ScalingPrediction&), int at_least) {
  std::vector<double> sizes;
  for (const evidence::ScalingPrediction& each : group)
    if (const Error error = of(each); error && each.row->devices >= at_least)
      sizes.push_back(std::abs(*error));
  return sizes;
}

std::string percent(const std::vector<double>& sizes, double (*of)(std::vector<double>)) {
  return sizes.empty() ? "-" : fmt::format("{:.1f} %", 100 * of(sizes));
}

double largest(std::vector<double> sizes) { return std::ranges::max(sizes); }

std::string print(Group group) {
  std::vector<TableRow> rows{{"network", "devices", "batch", "published", "absolute", "scaling", "unit"}};
  int fewest = group.front().row->devices, most = fewest;
  for (const evidence::ScalingPrediction& each : group) {
    rows.push_back({each.network, std::to_string(each.row->devices), std::to_string(each.batch),
                    fmt::format("{:.1f}", each.row->value), signed_percent(absolute_error(each)),
                    signed_percent(scaling_error(each)), each.row->unit});
    fewest = std::min(fewest, each.row->devices);
    most = std::max(most, each.row->devices);
  }
  const auto add = [&](std::string_view what, int at_least, double (*of)(std::vector<double>)) {
    rows.push_back({std::string(what), at_least > 1 ? std::to_string(at_least) : "", "", "",
                    percent(sizes(group, absolute_error, at_least), of),
                    percent(sizes(group, scaling_error, at_least), of)});
  };
  add("median", 1, median);
  if (fewest < most) add("median", most, median);
  add("largest", 1, largest);
  const evidence::Arrangement& arrangement = *group.front().arrangement;
  return fmt::format("{}: {} row{}, gradients {}\n{}", arrangement.group, group.size(),
                     group.size() == 1 ? "" : "s", evidence::name(arrangement.regime),
                     print_table(rows, "lrrrrrl", "  "));
}

// ---- Programs

Error program_error(const evidence::ProgramPrediction& each) { return each.predicted / each.row->value - 1; }

std::string print(const std::vector<evidence::ProgramPrediction>& programs) {
  std::vector<TableRow> rows{{"program", "devices", "published", "absolute", "waiting for software", "unit"}};
  for (const evidence::ProgramPrediction& each : programs)
    rows.push_back({each.program, std::to_string(each.row->devices), fmt::format("{:.1f}", each.row->value),
                    signed_percent(program_error(each)), fmt::format("{:.0f} %", 100 * each.software),
                    each.row->unit});
  return "Programs of their own, whose scenarios are in programs/\n" + print_table(rows, "lrrrrl", "  ");
}

// ---- All groups, by regime

// "2.1 %, 15.3 %, +3.7 %": the median, the largest and the mean of the errors that there are.
template <class Prediction>
std::string summary(const std::vector<Prediction>& rows, Error (*of)(const Prediction&)) {
  evidence::Errors errors;
  for (const Prediction& each : rows)
    if (const Error error = of(each)) errors.push_back(*error);
  if (errors.empty()) return "-";
  const evidence::ErrorSummary sum = evidence::summary_of(errors);
  return fmt::format("{:.1f} %, {:.1f} %, {}", 100 * sum.median, 100 * sum.largest, signed_percent(sum.bias));
}

std::string print_by_regime(Group made, const std::vector<evidence::ProgramPrediction>& programs) {
  std::vector<TableRow> table{{"gradients", "rows", "absolute", "scaling"}};
  for (const evidence::Regime regime : {evidence::Regime::one_pack, evidence::Regime::overlapped,
                                        evidence::Regime::on_one_device, evidence::Regime::one_by_one}) {
    std::vector<evidence::ScalingPrediction> rows;
    std::ranges::copy_if(made, std::back_inserter(rows), [&](const evidence::ScalingPrediction& each) {
      return each.arrangement->regime == regime;
    });
    if (!rows.empty())
      table.push_back({std::string(evidence::name(regime)), std::to_string(rows.size()),
                       summary(rows, absolute_error), summary(rows, scaling_error)});
  }
  if (!programs.empty())
    table.push_back({"programs, mostly bound by their host", std::to_string(programs.size()),
                     summary(programs, program_error), "-"});
  return "By regime: median, largest and mean error\n" + print_table(table, "lrrr", "  ") +
         "Rows of parameter servers, of packs by bytes_per_pack that hold several gradients, and of "
         "TensorFlow 2's central storage are not predicted.\n";
}

std::string csv_cell(std::string_view text) {
  return text.find(',') == std::string_view::npos ? std::string(text) : fmt::format("\"{}\"", text);
}

std::string print_csv(Group group) {
  std::string text;
  for (const evidence::ScalingPrediction& each : group)
    text +=
        fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{}\n", csv_cell(each.arrangement->group),
                    csv_cell(each.row->system), each.network, each.row->devices, each.batch, each.row->unit,
                    each.base != nullptr ? std::to_string(each.base->devices) : "", each.row->value,
                    each.absolute, each.scaled ? fmt::format("{:.6g}", *each.scaled) : "");
  return text;
}

// Splits the predictions by group. Predictions of a group are adjacent.
std::vector<Group> groups_of(std::span<const evidence::ScalingPrediction> made) {
  std::vector<Group> groups;
  while (!made.empty()) {
    const auto end = std::ranges::find_if(made, [&](const evidence::ScalingPrediction& each) {
      return each.arrangement != made.front().arrangement;
    });
    const auto size = static_cast<std::size_t>(end - made.begin());
    groups.push_back(made.first(size));
    made = made.subspan(size);
  }
  return groups;
}

// A number of the file of constants, by its keys.
const json::Value& constant(const json::TextEdits& edits, std::initializer_list<std::string_view> keys) {
  const json::Value* value = &edits.root();
  for (const std::string_view key : keys)
    if (value = value->find(key); value == nullptr)
      throw InputError(Problem{edits.root().place(), fmt::format("has no \"{}\"", fmt::join(keys, ".")),
                               "name platforms/communication.json, or a copy of it"});
  return *value;
}

// Into the text of platforms/communication.json.
void write_fitted(const std::string& file, const std::vector<evidence::Measurement>& rows,
                  std::ostream& out) {
  json::TextEdits edits(read_text(file), file);
  const json::Value& spread = constant(edits, {"synchronization", "spread"});
  const json::Value& process = constant(edits, {"synchronization", "process"});
  const json::Value& call = constant(edits, {"launch", "workers", "call"});
  const evidence::SynchronizationFit meeting = evidence::fit_synchronization(rows);
  const evidence::CollectiveFit collective = evidence::fit_collective_of_workers(rows);
  edits.replace(spread, fmt::format("{:.3f}", meeting.found.spread));
  edits.replace(process, fmt::format("\"{:g} ms\"", meeting.found.process.count() * 1e3));
  edits.replace(call, fmt::format("\"{:g} ms\"", collective.found.count() * 1e3));
  write_text(file, edits.text());
  out << fmt::format(
      "synchronization by {} rows: spread {:.3f}, process {}; median error of scaling {:.1f} %, before "
      "{:.1f} %; written to {}\n",
      meeting.rows, meeting.found.spread, rough(meeting.found.process), 100 * meeting.after,
      100 * meeting.before, file);
  out << fmt::format(
      "a collective of workers by {} rows: {}; median error of scaling {:.1f} %, before {:.1f} %; written to "
      "{}\n",
      collective.rows, rough(collective.found), 100 * collective.after, 100 * collective.before, file);
  for (const evidence::OfOneNetwork& each : collective.left_out)
    out << fmt::format("  without the rows of {}: {}, which gives these a median error of {:.1f} %\n",
                       each.network, rough(each.found), 100 * each.error);
}

}  // namespace

Exit verify_scaling(const PublishedOptions& options, const Streams& streams) {
  if (!options.fit.empty()) output::require_writable(options.fit, "--fit");
  const std::vector<evidence::Measurement> rows = evidence::read_measurements(options.folder);
  const evidence::ScalingPredictions predictions = evidence::predict_scaling(rows);
  if (predictions.made.empty())
    throw InputError(
        fmt::format("no row in \"{}\" is about several devices of a known system", options.folder));
  if (options.csv)
    streams.results << "group,system,network,devices,batch,unit,base_devices,published,absolute,scaling\n";
  else
    streams.results
        << "Errors: predicted / published throughput - 1. Absolute: with the constants of the devices' "
           "generation.\nScaling: with the compute time of the row with the fewest devices.\n\n";
  for (const Group group : groups_of(predictions.made))
    streams.results << (options.csv ? print_csv(group) : print(group) + "\n");
  const std::vector<evidence::ProgramPrediction> programs = evidence::predict_programs(options.folder, rows);
  if (!options.csv) {
    if (!programs.empty()) streams.results << print(programs) + "\n";
    streams.results << print_by_regime(predictions.made, programs) + "\n";
  }
  if (!options.csv)
    for (const std::string& reason : predictions.left_out)
      streams.results << fmt::format("left out: {}\n", reason);
  if (!options.fit.empty()) write_fitted(options.fit, rows, streams.results);
  return Exit::done;
}

Command verify_scaling_command(CLI::App& verify) {
  return declare(
      verify, "scaling", "Compares predicted with published training throughput of several devices",
      verify_scaling, [](CLI::App& command, PublishedOptions& options) {
        add_published(command, options);
        add_fit(command, options,
                "A file of constants, platforms/communication.json: what devices lose by meeting is "
                "replaced by what the rows determine whose gradients overlap, and what a collective of "
                "workers takes by those whose gradients are reduced one by one");
      });
}

}  // namespace wt::cli
