#include "cli/verify.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ostream>
#include <span>

#include "base/median.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "study/evidence/nccl_study.h"

namespace wt::cli {

namespace {

struct SizeClass {
  std::string_view name{};
  Bytes below{};
};
constexpr std::array classes{SizeClass{"<64K", Bytes(64 << 10)}, SizeClass{"<1M", Bytes(1 << 20)},
                             SizeClass{"<16M", Bytes(16 << 20)}, SizeClass{"<256M", Bytes(256 << 20)},
                             SizeClass{"above", Bytes(std::int64_t{1} << 60)}};

using Errors = std::vector<double>;

std::string percent(const Errors& errors) {
  return errors.empty() ? "-" : fmt::format("{:.1f}", 100 * median(errors));
}

double error(const evidence::NcclRow& row) { return std::abs(row.by_class / row.published - 1); }
double tiny_error(const evidence::NcclRow& row) { return std::abs(row.by_tiny / row.published - 1); }

Errors errors_in(std::span<const evidence::NcclRow> rows, Bytes from, Bytes below,
                 double (*of)(const evidence::NcclRow&)) {
  Errors errors;
  for (const evidence::NcclRow& row : rows)
    if (row.bytes >= from && row.bytes < below) errors.push_back(of(row));
  return errors;
}

TableRow summary_row(const std::string& name, std::span<const evidence::NcclRow> rows) {
  const auto all = [&](double (*of)(const evidence::NcclRow&)) {
    return errors_in(rows, Bytes(0), classes.back().below, of);
  };
  TableRow row{name, std::to_string(rows.size()), percent(all(error))};
  Bytes from(0);
  for (const SizeClass& each : classes) {
    row.push_back(percent(errors_in(rows, from, each.below, error)));
    from = each.below;
  }
  row.push_back(percent(all(tiny_error)));
  return row;
}

// The mean over the tables of their median errors, in percent. Counts the rows with at least `from` bytes.
double mean_of_medians(const std::vector<evidence::NcclTable>& tables, Bytes from) {
  double sum = 0;
  int count = 0;
  for (const evidence::NcclTable& table : tables) {
    const Errors errors = errors_in(table.rows, from, classes.back().below, error);
    if (errors.empty()) continue;
    sum += median(errors);
    ++count;
  }
  return 100 * sum / count;
}

std::string text_of(const std::vector<evidence::NcclTable>& tables) {
  std::vector<TableRow> lines{{"all-reduces", "rows", "median"}};
  for (const SizeClass& each : classes) lines[0].push_back(std::string(each.name));
  lines[0].push_back("tiny known");
  std::vector<evidence::NcclRow> all;
  for (const evidence::NcclTable& table : tables) {
    lines.push_back(summary_row(table.name, table.rows));
    all.insert(all.end(), table.rows.begin(), table.rows.end());
  }
  lines.push_back(summary_row("all rows", all));
  return "Median error in percent, predicted against published time; by size of the vector\n" +
         print_table(lines, "lrrrrrrrr", "  ") +
         fmt::format("  mean of the tables' medians: {:.1f}; from 16 MiB up: {:.1f}\n",
                     mean_of_medians(tables, Bytes(0)), mean_of_medians(tables, Bytes(16 << 20)));
}

std::string csv_of(const std::vector<evidence::NcclTable>& tables) {
  std::string text = "table,platform,bytes,algorithm,protocol,published_us,class_us,tiny_us\n";
  for (const evidence::NcclTable& table : tables)
    for (const evidence::NcclRow& row : table.rows)
      text += fmt::format("\"{}\",{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name, table.platform,
                          row.bytes.count(), row.algorithm, row.protocol, row.published.count() * 1e6,
                          row.by_class.count() * 1e6, row.by_tiny.count() * 1e6);
  return text;
}

}  // namespace

Exit verify_nccl_tests(const PublishedOptions& options, const Streams& streams) {
  const std::vector<evidence::NcclTable> tables =
      evidence::nccl_tables(evidence::read_measurements(options.folder));
  if (tables.empty())
    throw InputError(fmt::format("no row in \"{}\" is an all-reduce of a known system", options.folder));
  streams.results << (options.csv ? csv_of(tables) : text_of(tables));
  return Exit::done;
}

Command verify_nccl_tests_command(CLI::App& verify) {
  return declare(
      verify, "nccl-tests",
      "Compares predicted with published times of all-reduces, from nccl-tests and similar programs",
      verify_nccl_tests, add_published);
}

}  // namespace wt::cli
