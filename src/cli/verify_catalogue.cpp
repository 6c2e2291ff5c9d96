#include "cli/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "base/table.h"
#include "cli/arguments.h"
#include "plan/roofline.h"
#include "platform/device_types.h"
#include "study/evidence/catalogue.h"

namespace wt::cli {

namespace {

using device::DeviceType;
using evidence::CataloguedRate;

// A column of the table of all devices.
struct Shown {
  std::string_view title{};
  std::string_view network{};
  int batch = 0;
  bool is_mixed = false;
};
constexpr std::array shown{
    Shown{"resnet50, 64", "resnet50", 64},         Shown{"resnet50, 256", "resnet50", 256},
    Shown{"bert_large, 8", "bert_large", 8},       Shown{"mixed: resnet50, 64", "resnet50", 64, true},
    Shown{"resnet50, 256", "resnet50", 256, true}, Shown{"bert_large, 8", "bert_large", 8, true},
};

// The policy in which a device multiplies 16-bit numbers; empty if it has no peak for them.
std::string_view mixed_policy(const DeviceType& type) {
  if (type.kind == device::Kind::tpu) return "mixed_bfloat16";
  return type.peak.contains(device::Precision::float16) ? "mixed_float16" : "";
}

struct Line {
  const DeviceType* type = nullptr;
  std::array<std::optional<double>, shown.size()> rates{};
};

Line line_of(const DeviceType& type) {
  Line line{.type = &type};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view precision = shown[i].is_mixed ? mixed_policy(type) : "";
    if (!shown[i].is_mixed || !precision.empty())
      line.rates[i] = evidence::throughput_on(type, shown[i].network, precision, shown[i].batch);
  }
  return line;
}

std::string cell(const std::optional<double>& rate) { return rate ? fmt::format("{:.0f}", *rate) : "-"; }

void print_devices(std::ostream& out) {
  std::vector<Line> lines;
  for (const DeviceType& type : platform::device_types())
    if (type.kind != device::Kind::cpu) lines.push_back(line_of(type));
  std::ranges::stable_sort(lines, {}, [](const Line& line) { return line.rates[0].value_or(0); });
  std::vector<TableRow> table{{"device", "without a policy"}};
  for (const Shown& column : shown) table.front().emplace_back(column.title);
  for (const Line& line : lines) {
    table.push_back({line.type->id, std::string(device::name(plan::default_precision(*line.type)))});
    for (const std::optional<double>& rate : line.rates) table.back().push_back(cell(rate));
  }
  out << "Rows per second on one device, as predicted: without a policy of mixed precision, and with it; -: "
         "too "
         "large, or no such units\n"
      << print_table(table, "llrrrrrr", "  ") << "\n";
}

void print_published(const std::vector<CataloguedRate>& rates, std::ostream& out) {
  std::vector<TableRow> table{
      {"network", "device", "precision", "rows", "published", "predicted", "error", "unit"}};
  for (const CataloguedRate& rate : rates)
    table.push_back({rate.network, rate.device, rate.precision, std::to_string(rate.rows),
                     fmt::format("{:.1f}", rate.published), fmt::format("{:.1f}", rate.predicted),
                     fmt::format("{:+.1f} %", 100 * (rate.predicted / rate.published - 1)), rate.unit});
  out << "Beside what is published, at the published batches: means of the rows\n"
      << print_table(table, "lllrrrrl", "  ");
}

void print_correlations(const std::vector<CataloguedRate>& rates, std::ostream& out) {
  for (auto first = rates.begin(); first != rates.end();) {
    const auto last = std::find_if(
        first, rates.end(), [&](const CataloguedRate& rate) { return rate.network != first->network; });
    if (last - first > 2)
      out << fmt::format("rank correlation of {}: {:.3f} over {} devices and precisions\n", first->network,
                         evidence::rank_correlation({first, last}), last - first);
    first = last;
  }
}

}  // namespace

Exit verify_catalogue(const PublishedOptions& options, const Streams& streams) {
  const std::vector<evidence::Measurement> rows = evidence::read_measurements(options.folder);
  const std::vector<CataloguedRate> rates = evidence::catalogued_rates(evidence::predict(rows).made);
  print_devices(streams.results);
  print_published(rates, streams.results);
  print_correlations(rates, streams.results);
  return Exit::done;
}

Command verify_catalogue_command(CLI::App& verify) {
  return declare(
      verify, "catalogue",
      "Prints the predicted throughput of all devices, and how their order agrees with published ones",
      verify_catalogue, [](CLI::App& command, PublishedOptions& options) {
        command.add_option("FOLDER", options.folder, "Folder of published measurements: tests/measurements")
            ->required();
      });
}

}  // namespace wt::cli
