#include "study/evidence/nccl_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace wt::evidence {

namespace {

using collective::Operation;

std::optional<Bytes> bytes_of(const Measurement& row) {
  std::int64_t bytes = 0;
  const char* const end = row.batch.data() + row.batch.size();
  const auto [stop, error] = std::from_chars(row.batch.data(), end, bytes);
  return error == std::errc{} && stop == end && bytes > 0 ? std::optional(Bytes(bytes)) : std::nullopt;
}

// Smaller messages are left out. Their times are mostly latency and noise.
constexpr Bytes smallest(1024);

// A bandwidth (GB/s) below this one is published with one digit, from which no time follows to within ten percent.
constexpr double least_bandwidth = 0.1;

// Some sources publish the time, and some a bandwidth instead: that of the vector, or nccl-tests' bus bandwidth.
std::optional<Seconds> time_of(const Measurement& row, Operation operation, Bytes bytes) {
  if ((row.metric == "time_out_of_place" || row.metric == "time_median") && row.unit == "us")
    return row.value > 0 ? std::optional(Seconds(row.value * 1e-6)) : std::nullopt;
  if (row.value < least_bandwidth || row.devices < 2) return std::nullopt;
  const double seconds = static_cast<double>(bytes.count()) / (row.value * 1e9);
  if (row.metric == "algbw") return Seconds(seconds);
  if (row.metric == "busbw") return Seconds(seconds * collective::bus_factor(operation, row.devices));
  return std::nullopt;
}

// A source that publishes both bandwidths has two rows for a size, of which the first one counts. So has one that set
// what NCCL would have chosen.
bool is_known(const std::vector<NcclRow>& rows, const Measurement& row, const NcclRow& found) {
  const bool is_bandwidth = row.metric == "algbw" || row.metric == "busbw";
  return is_bandwidth && !rows.empty() && rows.back().bytes == found.bytes &&
         rows.back().devices == found.devices && rows.back().forced == found.forced;
}

void predict(NcclTable& table) {
  std::ranges::stable_sort(table.rows, {}, [](const NcclRow& row) { return row.bytes; });
  const NcclPredictor predictor(table.system, table.operation);
  // Systems whose rows differ in more than their size have no smallest message.
  std::optional<Seconds> launch_time;
  if (!table.system.by_row) launch_time = predictor.launch_time(table.rows.front());
  std::erase_if(table.rows, [](const NcclRow& row) { return row.bytes < smallest; });
  for (NcclRow& row : table.rows) {
    row.by_class = predictor.time(row);
    row.by_tiny = predictor.time(row, launch_time);
  }
}

// Reads the second time column, which follows the first as a row of its own, and keeps the lower time.
void take_better(std::vector<NcclRow>& rows, const Measurement& row, Bytes bytes) {
  if (row.metric != "time_in_place" || rows.empty() || rows.back().bytes != bytes) return;
  rows.back().published = std::min(rows.back().published, Seconds(row.value * 1e-6));
}

NcclTable table_of(const std::vector<Measurement>& rows, const NcclSystem& system, Operation operation) {
  NcclTable table{.name = system.name, .system = system, .operation = operation};
  if (operation != Operation::all_reduce)
    table.name = fmt::format("{}: {}", system.name, collective::name(operation));
  for (const Measurement& row : rows) {
    if (operation_of(row) != operation || !is_of(row, system)) continue;
    const std::optional<Bytes> bytes = bytes_of(row);
    const std::optional<Seconds> time = bytes ? time_of(row, operation, *bytes) : std::nullopt;
    if (time) {
      NcclRow found{.bytes = *bytes, .published = *time};
      if (system.by_row) found.devices = row.devices, found.forced = algorithm_of(row);
      if (!is_known(table.rows, row, found)) table.rows.push_back(std::move(found));
    }
    if (system.has_stalls && bytes) take_better(table.rows, row, *bytes);
  }
  return table;
}

// A row belongs to the first system of which it is one.
std::vector<std::vector<Measurement>> rows_by_system(const std::vector<Measurement>& rows,
                                                     const std::vector<NcclSystem>& systems) {
  std::vector<std::vector<Measurement>> found(systems.size());
  for (const Measurement& row : rows)
    for (std::size_t i = 0; i < systems.size(); ++i)
      if (is_of(row, systems[i])) {
        found[i].push_back(row);
        break;
      }
  return found;
}

}  // namespace

std::vector<NcclTable> nccl_tables(const std::vector<Measurement>& rows) {
  const std::vector<NcclSystem> systems = nccl_systems(rows);
  const std::vector<std::vector<Measurement>> by_system = rows_by_system(rows, systems);
  std::vector<NcclTable> tables;
  for (std::size_t i = 0; i < systems.size(); ++i)
    for (const collective::OperationRow& operation : collective::operations()) {
      NcclTable table = table_of(by_system[i], systems[i], operation.operation);
      if (table.rows.empty()) continue;
      predict(table);
      if (!table.rows.empty()) tables.push_back(std::move(table));
    }
  return tables;
}

}  // namespace wt::evidence
