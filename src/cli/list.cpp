#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <ostream>

#include "base/json_writer.h"
#include "base/median.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "collective/catalog.h"
#include "kernel/kernel.h"
#include "model/activation.h"
#include "model/layers/catalog.h"
#include "model/layers/operation.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "model/schedule.h"
#include "model/semantics.h"
#include "model/zoo.h"
#include "plan/roofline.h"
#include "platform/device_types.h"
#include "platform/load.h"
#include "scenario/names.h"
#include "strategy/automatic.h"
#include "study/evidence/expected_error.h"
#include "study/evidence/records.h"
#include "sweep/names.h"
#include "train/callback.h"

namespace wt::cli {

namespace {

struct Line {
  std::string name{};
  std::string summary{};
};
using Lines = std::vector<Line>;

template <class Table>
Lines lines_of(const Table& table) {
  Lines lines;
  for (const auto& row : table) lines.push_back({std::string(row.name), std::string(row.summary)});
  return lines;
}

Lines models() {
  Lines lines;
  for (const model::ZooModel& row : model::zoo()) {
    Line line{std::string(row.name), std::string(row.summary)};
    if (row.shape_only) line.summary += R"( (shapes only: "numerics": "none"))";
    std::string_view separator = "; takes ";
    for (const model::ZooParameter& parameter : row.parameters) {
      line.summary += fmt::format("{}{}", separator, parameter.name);
      separator = ", ";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines algorithms() {
  Lines lines;
  for (const collective::Algorithm& row : collective::algorithms()) {
    Line line{std::string(row.name), fmt::format("{}: {}", name(row.operation), row.summary)};
    if (row.allows != collective::Allows::any) line.summary += fmt::format(" (for {})", print(row.allows));
    if (!row.options.empty()) line.summary += fmt::format("; takes {}", fmt::join(row.options, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines layers() {
  Lines lines;
  for (const model::LayerClass& row : model::layer_classes())
    lines.push_back({std::string(row.class_name), std::string(row.summary)});
  return lines;
}

// The class of keras.ops, and the functions of TensorFlow by which Keras 2 names it.
Lines operations() {
  Lines lines;
  for (const model::OperationClass& row : model::operation_classes()) {
    std::string functions = "tf.";
    for (const char letter : row.functions) functions += letter == ' ' ? ", tf." : std::string(1, letter);
    lines.push_back({std::string(row.class_name), std::move(functions)});
  }
  return lines;
}

Lines datasets() {
  constexpr std::array<std::string_view, scenario::source_names.size()> summaries{
      "rows made from a seed, with labels that can be learned",
      "images and labels in two files of MNIST's format, plain or gzip",
      "Fashion-MNIST's or MNIST's four files in one folder",
      "two tensors of a safetensors file",
      "one row, again and again",
      "columns of CSV files that become tensors",
      "tf.train.Example records, whose features become tensors",
  };
  Lines lines;
  for (std::size_t i = 0; i < summaries.size(); ++i)
    lines.push_back({std::string(scenario::source_names[i]), std::string(summaries[i])});
  return lines;
}

// "float32 15.7 TFLOP/s, float16 125 TFLOP/s".
std::string peaks_of(const device::DeviceType& type) {
  std::vector<std::string> peaks;
  for (const auto& [precision, peak] : type.peak)
    peaks.push_back(fmt::format("{} {}", device::name(precision), rough(peak)));
  return fmt::format("{}", fmt::join(peaks, ", "));
}

using Ratio = std::optional<double> evidence::Record::*;

// The median of how far the ratios of some published rows of one device are from 1. Nothing without such rows.
std::optional<double> median_error(Ratio ratio,
                                   const std::function<bool(const evidence::PublishedRow&)>& is_meant) {
  static const std::vector<evidence::PublishedRow> rows = evidence::rows_of(evidence::known_records().rows);
  std::vector<double> sizes;
  for (const evidence::PublishedRow& row : rows)
    if (row.record->*ratio && is_meant(row)) sizes.push_back(std::abs(*(row.record->*ratio) - 1));
  return sizes.empty() ? std::nullopt : std::optional(median(std::move(sizes)));
}

// How a device's step time is known in the precision that TensorFlow takes there, and how far predictions are off that
// are known so: with a network left out of the fit, by other devices of its generation, or from data sheets alone.
std::string sureness_of(const device::DeviceType& type) {
  const std::string_view precision = device::name(plan::default_precision(type));
  const auto is_sibling = [&](const evidence::PublishedRow& row) {
    return row.generation == type.generation && row.record->precision == precision;
  };
  const auto is_own = [&](const evidence::PublishedRow& row) {  // a generation of TPUs is one product
    return (row.record->device == type.id || row.is_tpu) && is_sibling(row);
  };
  if (const auto error = median_error(&evidence::Record::other_networks, is_own))
    return fmt::format("calibrated in {}, expected error of another network {:.0f} %", precision,
                       100 * *error);
  const auto error = median_error(&evidence::Record::generic, [](const auto&) { return true; });
  if (median_error(&evidence::Record::own, is_own))
    return fmt::format("calibrated by one network in {}, expected error {:.0f} %", precision,
                       100 * error.value());
  if (const auto by_siblings = median_error(&evidence::Record::other_devices, is_sibling))
    return fmt::format("calibrated in {} by other devices of its generation, expected error {:.0f} %",
                       precision, 100 * *by_siblings);
  return fmt::format("data sheet in {}, expected error {:.0f} %", precision, 100 * error.value());
}

Lines device_types() {
  Lines lines;
  for (const device::DeviceType& type : platform::device_types()) {
    Line line{type.id, type.product};
    if (type.memory.count() > 0) line.summary += fmt::format(", {}", type.memory);
    line.summary += fmt::format(", {}; {}", peaks_of(type), sureness_of(type));
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines platforms() {
  Lines lines;
  for (const platform::KnownPlatform& platform : platform::known_platforms()) {
    Line line{platform.id, platform.description};
    if (!platform.aliases.empty())
      line.summary += fmt::format(" (also {})", fmt::join(platform.aliases, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines strategies() {
  Lines lines;
  for (const strategy::Row& row : strategy::rows())
    lines.push_back({std::string(row.name), std::string(row.summary)});
  lines.push_back({std::string(strategy::automatic.name), std::string(strategy::automatic.summary)});
  return lines;
}

Lines axes() {
  Lines lines;
  for (const sweep::ShortName& row : sweep::short_names())
    lines.push_back({std::string(row.name), row.key.empty() ? std::string(row.summary)
                                                            : fmt::format("{}: {}", row.key, row.summary)});
  return lines;
}

struct Kind {
  std::string_view name{};
  Lines (*lines)() = nullptr;
};
constexpr std::array kinds{
    Kind{"activations", [] { return lines_of(model::activations()); }},
    Kind{"algorithms", algorithms},
    Kind{"axes", axes},
    Kind{"callbacks", [] { return lines_of(train::callback_classes); }},
    Kind{"datasets", datasets},
    Kind{"device_types", device_types},
    Kind{"initializers", [] { return lines_of(model::initializers()); }},
    Kind{"kernels", [] { return lines_of(kernels()); }},
    Kind{"layers", layers},
    Kind{"losses", [] { return lines_of(model::losses()); }},
    Kind{"metrics", [] { return lines_of(model::metrics()); }},
    Kind{"models", models},
    Kind{"operations", operations},
    Kind{"optimizers", [] { return lines_of(model::optimizers()); }},
    Kind{"platforms", platforms},
    Kind{"schedules", [] { return lines_of(model::schedules()); }},
    Kind{"semantics", [] { return lines_of(model::all_semantics()); }},
    Kind{"strategies", strategies},
    Kind{"switches", [] { return lines_of(model::switches()); }},
};

std::string print(const Kind& kind) {
  std::vector<TableRow> rows;
  for (const Line& line : kind.lines()) rows.push_back({line.name, line.summary});
  return fmt::format("{}:\n{}", kind.name, print_table(rows, "l", "  "));
}

std::string print_json(const std::vector<Kind>& wanted) {
  json::Writer out;
  out.begin_object();
  for (const Kind& kind : wanted) {
    out.key(kind.name).begin_array();
    for (const Line& line : kind.lines())
      out.begin_object(json::Layout::one_line)
          .member("name", line.name)
          .member("summary", line.summary)
          .end_object();
    out.end_array();
  }
  return out.end_object().text();
}

}  // namespace

std::vector<std::string_view> list_kinds() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

Exit list(const ListOptions& options, const Streams& streams) {
  std::vector<Kind> wanted;
  for (const Kind& kind : kinds)
    if (options.what.empty() || options.what == kind.name) wanted.push_back(kind);
  if (wanted.empty())
    throw InputError(fmt::format("\"{}\" is nothing that can be listed", printable(options.what)),
                     did_you_mean(options.what, list_kinds()));
  if (options.json) {
    streams.results << print_json(wanted);
    return Exit::done;
  }
  std::string_view separator;
  for (const Kind& kind : wanted) {
    streams.results << separator << print(kind);
    separator = "\n";
  }
  return Exit::done;
}

Command list_command(CLI::App& program) {
  return declare(program, "list", "Prints the names that a scenario may use, one per line", list,
                 [](CLI::App& command, ListOptions& options) {
                   command.add_option("WHAT", options.what,
                                      fmt::format("{}; default: everything", fmt::join(list_kinds(), ", ")));
                   command.add_flag("--json", options.json, "Prints them as JSON");
                 });
}

}  // namespace wt::cli
