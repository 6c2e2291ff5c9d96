#include "cli/verify.h"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "base/file.h"
#include "base/output/place.h"
#include "base/rough.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "study/evidence/fitted_constants.h"
#include "study/evidence/measurement_study.h"

namespace wt::cli {

namespace {

using device::Efficiency;
using evidence::Errors;
using Group = evidence::PredictionGroup;
using Study = evidence::MeasurementStudy;

std::string percent(double error) { return fmt::format("{:+.1f} %", 100 * error); }
std::string size(double error) { return fmt::format("{:.1f} %", 100 * error); }

std::string print(const Efficiency& efficiency) {
  return fmt::format("convolution {:.3f}, product {:.3f}, memory {:.3f}", efficiency.convolution,
                     efficiency.product, efficiency.memory);
}

std::string print_fit(Group group) {
  const auto in_short = [](const Errors& errors) {
    return fmt::format("median {}, largest {}", size(evidence::summary_of(errors).median),
                       size(evidence::summary_of(errors).largest));
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
  const auto add = [&](std::string_view what, double evidence::ErrorSummary::*of) {
    const auto cell = [&](const Errors& errors) {
      return errors.empty() ? std::string() : size(evidence::summary_of(errors).*of);
    };
    rows.push_back(
        {std::string(what), "", "", cell(study.zero_shot), cell(study.one_number), cell(study.own)});
  };
  add("median", &evidence::ErrorSummary::median);
  add("largest", &evidence::ErrorSummary::largest);
  const std::string one_number =
      study.one_number.empty() ? "" : fmt::format(", one number: time x {:.3f}", study.scale);
  return fmt::format("{}: {} row{}{}\n{}{}", study.group.front().setup.group, study.group.size(),
                     study.group.size() == 1 ? "" : "s", one_number, print_table(rows, "lrrrrrll", "  "),
                     print_fit(study.group));
}

// ---- All groups

// The errors of a group under four settings.
struct Setting {
  std::string_view name{};
  Errors (*of)(const Study& study, std::span<const evidence::Prediction> all) = nullptr;
};

Errors with_best_constants(const Study& study, std::span<const evidence::Prediction>) {
  const auto fit = evidence::fit_of(study.group);
  return fit ? fit->with : study.own;
}

// Without another network the rows say nothing, and the generic constants are what is left.
Errors without_own_network(const Study& study, std::span<const evidence::Prediction>) {
  const auto fit = evidence::fit_of(study.group);
  return fit && !fit->left_out.empty() ? fit->left_out : study.zero_shot;
}

constexpr std::array settings{
    Setting{"default", [](const Study& study, std::span<const evidence::Prediction>) { return study.own; }},
    Setting{"best", with_best_constants},
    Setting{"other networks", without_own_network},
    Setting{"other devices",
            [](const Study& study, std::span<const evidence::Prediction> all) {
              return evidence::without_own_device(study.group, all);
            }},
};

// Default: the constants as shipped. Best: fitted to the group's own rows. Others: fitted to the other networks of the
// group, and to the other devices of the generation.
std::string print_summary(const std::vector<Study>& studies, std::span<const evidence::Prediction> all) {
  std::vector<TableRow> rows{{"group", "rows"}};
  for (const Setting& setting : settings) rows.front().push_back(std::string(setting.name));
  std::array<Errors, settings.size()> medians{}, together{};
  const auto cell = [](const evidence::ErrorSummary& of) {
    return fmt::format("{}, {}, {}", size(of.median), size(of.largest), percent(of.bias));
  };
  for (const Study& study : studies) {
    rows.push_back({study.group.front().setup.group, std::to_string(study.group.size())});
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Errors errors = settings[i].of(study, all);
      const evidence::ErrorSummary summary = evidence::summary_of(errors);
      medians[i].push_back(summary.median);
      together[i].insert(together[i].end(), errors.begin(), errors.end());
      rows.back().push_back(cell(summary));
    }
  }
  TableRow mean{"mean of the groups' medians", ""}, every{"all rows", std::to_string(all.size())};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    mean.push_back(size(evidence::summary_of(medians[i]).bias));
    every.push_back(cell(evidence::summary_of(together[i])));
  }
  rows.push_back(std::move(every));
  rows.push_back(std::move(mean));
  return "all groups: median, largest, bias of predicted / published - 1\n" +
         print_table(rows, "lrrrrr", "  ") + "\n";
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
    text += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{}\n", csv_cell(each.setup.group),
                        csv_cell(each.row->system), each.setup.device, each.network, each.batch,
                        each.row->unit, each.published, predicted(study.zero_shot),
                        predicted(study.one_number), predicted(study.own));
  }
  return text;
}

}  // namespace

namespace {

void write_fitted(const std::string& file, std::span<const Group> groups, std::ostream& results) {
  const evidence::FittedConstants fitted = evidence::with_fitted_constants(read_text(file), file, groups);
  write_text(file, fitted.text);
  for (const evidence::ChangedConstants& each : fitted.changed)
    results << fmt::format("{}: {}, before {}\n", each.place, print(each.after), print(each.before));
  results << fmt::format("{} changed in {}\n", counted(std::ssize(fitted.changed), "efficiency"), file);
}

}  // namespace

Exit verify_measurements(const PublishedOptions& options, const Streams& streams) {
  if (!options.fit.empty()) output::require_writable(options.fit, "--fit");
  const std::vector<evidence::Measurement> rows = evidence::read_measurements(options.folder);
  const evidence::Predictions predictions = evidence::predict(rows);
  if (predictions.made.empty())
    throw InputError(fmt::format("no row in \"{}\" is about one device", options.folder));
  if (options.csv)
    streams.results
        << "group,system,device,network,batch,unit,published,zero_shot,one_number,own_constants\n";
  std::vector<Study> studies;
  for (const Group group : evidence::groups_of(predictions.made)) {
    studies.push_back(evidence::study_of(group));
    streams.results << (options.csv ? print_csv(studies.back()) : print(studies.back()) + "\n");
  }
  if (options.csv) return Exit::done;
  streams.results << print_summary(studies, predictions.made);
  for (const std::string& reason : predictions.left_out)
    streams.results << fmt::format("left out: {}\n", reason);
  if (!options.fit.empty()) write_fitted(options.fit, evidence::groups_of(predictions.made), streams.results);
  return Exit::done;
}

Command verify_measurements_command(CLI::App& verify) {
  return declare(verify, "measurements",
                 "Compares predicted with published training throughput of single devices",
                 verify_measurements, [](CLI::App& command, PublishedOptions& options) {
                   add_published(command, options);
                   add_fit(command, options,
                           "A file of device types, platforms/devices.json: constants with \"fitted_to\" are "
                           "replaced by those that their rows determine");
                 });
}

}  // namespace wt::cli
