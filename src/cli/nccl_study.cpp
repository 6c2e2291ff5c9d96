#include "cli/nccl_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <span>

#include "base/median.h"
#include "base/table.h"
#include "cli/measurements.h"
#include "communication/timing.h"
#include "platform/load.h"

namespace wt {

namespace {

using collective::Operation;

struct NcclRow {
  Bytes bytes{};
  Seconds published{};
  Seconds by_class{};                   // predicted with the constants of classes
  Seconds by_tiny{};                    // and with the system's time of its smallest message
  std::string algorithm{}, protocol{};  // that the library is taken to choose
};

struct NcclTable {
  std::string name{};
  std::string platform{};
  std::vector<NcclRow> rows{};  // the smallest first
};

// How a table's rows are predicted. Systems are known by a part of their name; a launch is the way the table's
// program was started, or what its small sizes look like where the source doesn't say.
struct NcclSetup {
  std::string_view name{};
  std::string_view system{};
  std::string_view strategy{};  // a part of the row's; empty: any
  std::string_view platform{};
  std::vector<std::string> overrides{};
  std::string_view launch{};
  std::string_view algorithm{};  // that was forced; empty: none
  bool has_ll128 = true;         // it came with NCCL 2.5
  bool has_stalls = false;       // now and then, of 500 us: the better of the table's two columns counts
};

const std::vector<NcclSetup>& setups() {
  static const std::vector<NcclSetup> rows{
      {"A100 x8", "1 node 8xA100", "", "dgx_a100", {}, "threads", ""},
      {"V100 x8, cube mesh", "1 node 8xV100", "", "dgx1_v100", {}, "threads", "", false},
      {"H100 x8", "1 node 8xH100", "", "dgx_h100", {}, "mpi", ""},
      {"H200 x8", "1 node 8xH200", "", "dgx_h200", {}, "torch", ""},
      {"DGX A100, 2 nodes", "2x DGX A100", "", "dgx_a100", {"machines=2"}, "mpi", ""},
      {"p5, 2 nodes, EFA", "2x p5.48xlarge", "", "aws_p5_48xlarge", {"machines=2"}, "mpi", ""},
      {"B200, 2 nodes", "2x Lambda 8xB200", "", "dgx_b200", {"machines=2"}, "mpi", ""},
      {"DGX-1V, 2 nodes, RoCE",
       "2x DGX-1",
       "",
       "dgx1_v100",
       {"machines=2", "machine.nics.count=2", "machine.nics.type=\"roce\""},
       "mpi",
       "ring",
       true,
       true},
      {"p3dn, 2 nodes, EFA",
       "2x EC2 instance",
       "",
       "aws_p3dn_24xlarge",
       {"machines=2"},
       "mpi",
       "ring",
       false},
      {"RTX 2080 Ti x8", "1 node 8x RTX 2080 Ti", "", "workstation_8x2080ti_2socket", {}, "threads", ""},
  };
  return rows;
}

const NcclSetup* setup_of(const Measurement& row) {
  for (const NcclSetup& setup : setups())
    if (row.system.find(setup.system) != std::string::npos &&
        row.strategy.find(setup.strategy) != std::string::npos)
      return &setup;
  return nullptr;
}

std::optional<Bytes> bytes_of(const Measurement& row) {
  std::int64_t bytes = 0;
  const char* const end = row.batch.data() + row.batch.size();
  const auto [stop, error] = std::from_chars(row.batch.data(), end, bytes);
  return error == std::errc{} && stop == end ? std::optional(Bytes(bytes)) : std::nullopt;
}

// Below, most tables are noise, and nothing is moved.
constexpr Bytes smallest(1024);

std::optional<Seconds> time_of(const Measurement& row, Bytes bytes) {
  if (row.metric == "time_out_of_place" && row.unit == "us") return Seconds(row.value * 1e-6);
  if (row.metric == "algbw" && row.value > 0)
    return Seconds(static_cast<double>(bytes.count()) / (row.value * 1e9));
  return std::nullopt;
}

class Predictor {
 public:
  explicit Predictor(const NcclSetup& setup)
      : setup_(setup),
        platform_(loaded(setup)),
        group_(communication::first_devices(platform_, platform_.devices())) {}

  collective::Choice choice_for(Bytes bytes) const {
    for (const collective::Choice& each : communication::choices(group_, Operation::all_reduce, bytes)) {
      const bool is_ring = each.algorithm == "ring" || each.algorithm == "multi_rail";
      if (!setup_.has_ll128 && each.protocol == collective::Protocol::ll128) continue;
      if (setup_.algorithm.empty() || (setup_.algorithm == "ring" && is_ring)) return each;
    }
    return {.algorithm = "ring"};
  }

  // The time with class constants, or with the launch time given.
  Seconds time(NcclRow& row, std::optional<Seconds> launch_time) const {
    const collective::Choice choice = choice_for(row.bytes);
    const communication::Call call = communication::call_of(
        group_, collective::algorithm_named(Operation::all_reduce, choice.algorithm),
        {.ranks = group_.size(), .elements = std::max<std::int64_t>(1, row.bytes.count() / 4)},
        {.launch = std::string(setup_.launch), .protocol = choice.protocol, .launch_time = launch_time});
    row.algorithm = choice.algorithm, row.protocol = call.protocol;
    return communication::time_of(call, group_, Type::float32).time;
  }

  Seconds launch_time(const NcclRow& tiny) const {
    return communication::launch_time_from(tiny.published, tiny.bytes, group_);
  }

 private:
  static platform::Platform loaded(const NcclSetup& setup) {
    platform::Parameters parameters;
    for (const std::string& text : setup.overrides) parameters.push_back(platform::parse_parameter(text));
    return platform::load(setup.platform, parameters).platform;
  }

  const NcclSetup& setup_;
  const platform::Platform platform_;
  const communication::Group group_;
};

void predict(NcclTable& table, const NcclSetup& setup) {
  std::ranges::stable_sort(table.rows, {}, [](const NcclRow& row) { return row.bytes; });
  const Predictor predictor(setup);
  const Seconds launch_time = predictor.launch_time(table.rows.front());
  std::erase_if(table.rows, [](const NcclRow& row) { return row.bytes < smallest; });
  for (NcclRow& row : table.rows) {
    row.by_class = predictor.time(row, std::nullopt);
    row.by_tiny = predictor.time(row, launch_time);
  }
}

// ---- Text

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

double error(const NcclRow& row) { return std::abs(row.by_class / row.published - 1); }
double tiny_error(const NcclRow& row) { return std::abs(row.by_tiny / row.published - 1); }

Errors errors_in(std::span<const NcclRow> rows, Bytes from, Bytes below, double (*of)(const NcclRow&)) {
  Errors errors;
  for (const NcclRow& row : rows)
    if (row.bytes >= from && row.bytes < below) errors.push_back(of(row));
  return errors;
}

TableRow summary_row(const std::string& name, std::span<const NcclRow> rows) {
  const auto all = [&](double (*of)(const NcclRow&)) {
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

// The other column of a row that has just been read.
void take_better(std::vector<NcclRow>& rows, const Measurement& row, Bytes bytes) {
  if (row.metric != "time_in_place" || rows.empty() || rows.back().bytes != bytes) return;
  rows.back().published = std::min(rows.back().published, Seconds(row.value * 1e-6));
}

std::vector<NcclTable> tables_of(const std::vector<Measurement>& rows) {
  std::vector<NcclTable> tables;
  for (const NcclSetup& setup : setups()) {
    NcclTable table{.name = std::string(setup.name), .platform = std::string(setup.platform)};
    for (const Measurement& row : rows) {
      if (setup_of(row) != &setup || row.model != "all_reduce(sum)") continue;
      const std::optional<Bytes> bytes = bytes_of(row);
      const std::optional<Seconds> time = bytes ? time_of(row, *bytes) : std::nullopt;
      if (time) table.rows.push_back({.bytes = *bytes, .published = *time});
      if (setup.has_stalls && bytes) take_better(table.rows, row, *bytes);
    }
    if (table.rows.empty()) continue;
    predict(table, setup);
    tables.push_back(std::move(table));
  }
  return tables;
}

// Over the tables, of rows from a size on.
double mean_of_medians(const std::vector<NcclTable>& tables, Bytes from) {
  double sum = 0;
  int count = 0;
  for (const NcclTable& table : tables) {
    const Errors errors = errors_in(table.rows, from, classes.back().below, error);
    if (errors.empty()) continue;
    sum += median(errors);
    ++count;
  }
  return 100 * sum / count;
}

std::string text_of(const std::vector<NcclTable>& tables) {
  std::vector<TableRow> lines{{"all-reduces", "rows", "median"}};
  for (const SizeClass& each : classes) lines[0].push_back(std::string(each.name));
  lines[0].push_back("tiny known");
  std::vector<NcclRow> all;
  for (const NcclTable& table : tables) {
    lines.push_back(summary_row(table.name, table.rows));
    all.insert(all.end(), table.rows.begin(), table.rows.end());
  }
  lines.push_back(summary_row("all rows", all));
  return "Median error in percent, predicted against published time; by size of the vector\n" +
         print_table(lines, "lrrrrrrrr", "  ") +
         fmt::format("  mean of the tables' medians: {:.1f}; from 16 MiB up: {:.1f}\n",
                     mean_of_medians(tables, Bytes(0)), mean_of_medians(tables, Bytes(16 << 20)));
}

std::string csv_of(const std::vector<NcclTable>& tables) {
  std::string text = "table,platform,bytes,algorithm,protocol,published_us,class_us,tiny_us\n";
  for (const NcclTable& table : tables)
    for (const NcclRow& row : table.rows)
      text += fmt::format("\"{}\",{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name, table.platform,
                          row.bytes.count(), row.algorithm, row.protocol, row.published.count() * 1e6,
                          row.by_class.count() * 1e6, row.by_tiny.count() * 1e6);
  return text;
}

}  // namespace

Exit verify_nccl_tests(const VerifyNcclTestsOptions& options, const Streams& streams) {
  const std::vector<Measurement> rows = read_measurements(options.folder);
  const std::vector<NcclTable> tables = tables_of(rows);
  if (tables.empty())
    throw InputError(
        fmt::format("no row in \"{}\" is an all-reduce of a system that is known here", options.folder));
  streams.results << (options.csv ? csv_of(tables) : text_of(tables));
  return Exit::done;
}

}  // namespace wt
