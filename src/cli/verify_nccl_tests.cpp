#include "cli/verify.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <span>

#include "base/median.h"
#include "base/rough.h"
#include "base/table.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "study/evidence/nccl_left_out.h"

namespace wt::cli {

namespace {

struct SizeClass {
  std::string_view name{};
  Bytes below{};
};
constexpr Bytes large(16 << 20);
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
double mean_of_medians(std::span<const evidence::NcclTable> tables, Bytes from) {
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

std::string means_of(std::span<const evidence::NcclTable> tables) {
  return fmt::format("mean of the tables' medians: {:.1f}; from 16 MiB up: {:.1f}\n",
                     mean_of_medians(tables, Bytes(0)), mean_of_medians(tables, large));
}

std::string text_of(const std::vector<evidence::NcclTable>& tables) {
  std::vector<TableRow> lines{{"collectives", "rows", "median"}};
  for (const SizeClass& each : classes) lines[0].push_back(std::string(each.name));
  lines[0].push_back("tiny known");
  std::vector<evidence::NcclRow> all;
  for (const evidence::NcclTable& table : tables) {
    lines.push_back(summary_row(table.name, table.rows));
    all.insert(all.end(), table.rows.begin(), table.rows.end());
  }
  lines.push_back(summary_row("all rows", all));
  return "Median error in percent, predicted against published time; by size of the vector\n" +
         print_table(lines, "lrrrrrrrr", "  ") + "  " + means_of(tables);
}

// ---- Each system left out

// The table as shipped that has the same name.
const evidence::NcclTable& as_shipped(const std::vector<evidence::NcclTable>& tables,
                                      const std::string& name) {
  return *std::ranges::find(tables, name, &evidence::NcclTable::name);
}

std::string text_of(const evidence::LeftOutConstant& constant) {
  return constant.nearest.empty() ? fmt::format("{}: {:.2f} times what is shipped, from {}", constant.name,
                                                constant.factor, counted(constant.tables, "table"))
                                  : fmt::format("{}: {}", constant.name, constant.nearest);
}

std::string text_of(const std::vector<evidence::NcclTable>& tables,
                    const std::vector<evidence::LeftOutSystem>& systems) {
  std::vector<TableRow> lines{{"collectives", "rows", "shipped", "left out", "16 MiB up", "left out"}};
  std::vector<evidence::NcclTable> left_out;
  std::string constants;
  for (const evidence::LeftOutSystem& system : systems) {
    for (const evidence::NcclTable& table : system.tables) {
      const auto from = [&](const evidence::NcclTable& each, Bytes least) {
        return percent(errors_in(each.rows, least, classes.back().below, error));
      };
      const evidence::NcclTable& shipped = as_shipped(tables, table.name);
      lines.push_back({table.name, std::to_string(table.rows.size()), from(shipped, Bytes(0)),
                       from(table, Bytes(0)), from(shipped, large), from(table, large)});
      left_out.push_back(table);
    }
    if (system.constants.empty()) continue;
    constants += fmt::format("\nWithout {}:\n", printable(system.system));
    for (const evidence::LeftOutConstant& each : system.constants) constants += "  " + text_of(each) + "\n";
  }
  return "Median error in percent, with the constants as shipped, and with those that were read off a system "
         "taken\n"
         "from the other tables of their class, or from the nearest class where there is none\n" +
         print_table(lines, "lrrrrr", "  ") + "  shipped:  " + means_of(tables) +
         "  left out: " + means_of(left_out) + constants;
}

std::string csv_of(const std::vector<evidence::NcclTable>& tables,
                   const std::vector<evidence::LeftOutSystem>& systems) {
  std::string text = "table,platform,bytes,algorithm,protocol,published_us,class_us,left_out_us\n";
  for (const evidence::LeftOutSystem& system : systems)
    for (const evidence::NcclTable& table : system.tables) {
      const evidence::NcclTable& shipped = as_shipped(tables, table.name);
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const evidence::NcclRow& row = table.rows[i];
        text += fmt::format("\"{}\",{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name, table.system.platform,
                            row.bytes.count(), row.algorithm, row.protocol, row.published.count() * 1e6,
                            shipped.rows[i].by_class.count() * 1e6, row.by_class.count() * 1e6);
      }
    }
  return text;
}

std::string csv_of(const std::vector<evidence::NcclTable>& tables) {
  std::string text = "table,platform,bytes,algorithm,protocol,published_us,class_us,tiny_us\n";
  for (const evidence::NcclTable& table : tables)
    for (const evidence::NcclRow& row : table.rows)
      text += fmt::format("\"{}\",{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name, table.system.platform,
                          row.bytes.count(), row.algorithm, row.protocol, row.published.count() * 1e6,
                          row.by_class.count() * 1e6, row.by_tiny.count() * 1e6);
  return text;
}

// The other commands of `verify` take the folder above.
std::string remedy_without_tables(const std::string& folder) {
  const std::filesystem::path below = std::filesystem::path(folder) / "nccl";
  const std::string name = "write the name of a platform in the column \"system\"";
  return std::filesystem::is_directory(below) ? fmt::format("give {}, or {}", below.string(), name) : name;
}

}  // namespace

Exit verify_nccl_tests(const VerifyNcclTestsOptions& options, const Streams& streams) {
  const std::vector<evidence::Measurement> rows = evidence::read_measurements(options.folder);
  for (const auto& [system, count] : evidence::unknown_nccl_systems(rows))
    streams.messages << fmt::format(
        "note: {} of \"{}\" left out: write the name of a platform in the column \"system\"\n",
        counted(count, "row"), printable(system));
  const std::vector<evidence::NcclTable> tables = evidence::nccl_tables(rows);
  if (tables.empty())
    throw InputError(fmt::format("no row in \"{}\" is a collective of a known system", options.folder),
                     remedy_without_tables(options.folder));
  if (options.leave_one_out) {
    const std::vector<evidence::LeftOutSystem> systems = evidence::nccl_left_out(tables);
    streams.results << (options.csv ? csv_of(tables, systems) : text_of(tables, systems));
    return Exit::done;
  }
  streams.results << (options.csv ? csv_of(tables) : text_of(tables));
  return Exit::done;
}

Command verify_nccl_tests_command(CLI::App& verify) {
  return declare(
      verify, "nccl-tests",
      "Compares predicted with published times of collectives, from nccl-tests and similar programs",
      verify_nccl_tests, [](CLI::App& command, VerifyNcclTestsOptions& options) {
        command.add_option("FOLDER", options.folder, "Folder of published tables: tests/measurements/nccl")
            ->required();
        command.add_flag("--csv", options.csv, "Prints every row, as CSV");
        command.add_flag("--leave-one-out", options.leave_one_out,
                         "Leaves each system in turn out of the constants of its class; takes minutes");
      });
}

}  // namespace wt::cli
