#include "cli/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/median.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "study/evidence/measurement_study.h"

namespace wt::cli {

namespace {

using device::Efficiency;
using evidence::Errors;
using Group = evidence::PredictionGroup;
using Study = evidence::MeasurementStudy;

double middle(Errors sizes) {
  for (double& each : sizes) each = std::abs(each);
  return median(std::move(sizes));
}

double largest(const Errors& errors) {
  double most = 0;
  for (const double each : errors) most = std::max(most, std::abs(each));
  return most;
}

std::string percent(double error) { return fmt::format("{:+.1f} %", 100 * error); }
std::string size(double error) { return fmt::format("{:.1f} %", 100 * error); }

std::string print(const Efficiency& efficiency) {
  return fmt::format("convolution {:.3f}, product {:.3f}, memory {:.3f}", efficiency.convolution,
                     efficiency.product, efficiency.memory);
}

std::string print_fit(Group group) {
  const auto in_short = [](const Errors& errors) {
    return fmt::format("median {}, largest {}", size(middle(errors)), size(largest(errors)));
  };
  const std::optional<evidence::MeasurementFit> fit = evidence::fit_of(group);
  if (!fit) return {};
  if (fit->is_one_scale)
    return fmt::format("  one overall scale fits the reference row: {}\n", print(fit->efficiency));
  return fmt::format("  fitted here: {}: {}; each network by the others: {}\n", print(fit->efficiency),
                     in_short(fit->with), in_short(fit->left_out));
}

std::string print(const Study& study) {
  std::vector<TableRow> rows{
      {"network", "batch", "published", "zero-shot", "one number", "own constants", "unit", "system"}};
  for (std::size_t i = 0; i < study.group.size(); ++i) {
    const evidence::Prediction& each = study.group[i];
    rows.push_back({each.network, each.batch > 0 ? std::to_string(each.batch) : "-",
                    fmt::format("{:.1f}", each.published), percent(study.zero_shot[i]),
                    study.one_number.empty() ? "" : percent(study.one_number[i]), percent(study.own[i]),
                    each.row->unit, each.row->system});
  }
  const auto add = [&](std::string_view what, double (*of)(const Errors&)) {
    rows.push_back({std::string(what), "", "", size(of(study.zero_shot)),
                    study.one_number.empty() ? "" : size(of(study.one_number)), size(of(study.own))});
  };
  add("median", [](const Errors& all) { return middle(all); });
  add("largest", largest);
  const std::string one_number =
      study.one_number.empty() ? "" : fmt::format(", one number: time x {:.3f}", study.scale);
  return fmt::format("{}: {} row{}{}\n{}{}", study.group.front().setup->group, study.group.size(),
                     study.group.size() == 1 ? "" : "s", one_number, print_table(rows, "lrrrrrll", "  "),
                     print_fit(study.group));
}

std::string csv_cell(std::string_view text) {
  return text.find(',') == std::string_view::npos ? std::string(text) : fmt::format("\"{}\"", text);
}

std::string print_csv(const Study& study) {
  std::string text;
  for (std::size_t i = 0; i < study.group.size(); ++i) {
    const evidence::Prediction& each = study.group[i];
    const auto predicted = [&](const Errors& errors) {
      return errors.empty() ? std::string() : fmt::format("{:.6g}", each.published * (1 + errors[i]));
    };
    text += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{}\n", csv_cell(each.setup->group),
                        csv_cell(each.row->system), each.setup->device, each.network, each.batch,
                        each.row->unit, each.published, predicted(study.zero_shot),
                        predicted(study.one_number), predicted(study.own));
  }
  return text;
}

}  // namespace

Exit verify_measurements(const PublishedOptions& options, const Streams& streams) {
  const std::vector<evidence::Measurement> rows = evidence::read_measurements(options.folder);
  const evidence::Predictions predictions = evidence::predict(rows);
  if (predictions.made.empty())
    throw InputError(fmt::format("no row in \"{}\" is about one device", options.folder));
  if (options.csv)
    streams.results
        << "group,system,device,network,batch,unit,published,zero_shot,one_number,own_constants\n";
  for (const Group group : evidence::groups_of(predictions.made)) {
    const Study study = evidence::study_of(group);
    streams.results << (options.csv ? print_csv(study) : print(study) + "\n");
  }
  if (!options.csv)
    for (const std::string& reason : predictions.left_out)
      streams.results << fmt::format("left out: {}\n", reason);
  return Exit::done;
}

Command verify_measurements_command(CLI::App& verify) {
  return declare(verify, "measurements",
                 "Compares predicted with published training throughput of single devices",
                 verify_measurements, add_published);
}

}  // namespace wt::cli
