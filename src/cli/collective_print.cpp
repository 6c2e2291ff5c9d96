#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/table.h"
#include "cli/collective.h"

namespace wt {

namespace {

using collective::Operation;

constexpr std::string_view basis =
    "schedule moves on achieved link rates; sums take no time; no library's protocols, channels or call "
    "overhead "
    "yet, so small sizes are off, mostly too fast";

// What nccl-tests multiplies the algorithm's bandwidth by (its src/*.cu, GetBw).
double bus_factor(Operation operation, double n) {
  switch (operation) {
    case Operation::all_reduce:
      return 2 * (n - 1) / n;
    case Operation::broadcast:
    case Operation::reduce:
      return 1;
    default:
      return (n - 1) / n;
  }
}

bool adds(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce ||
         operation == Operation::reduce_scatter;
}

bool has_root(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

std::string_view reduction(const CollectiveTable& table) { return adds(table.operation) ? "sum" : "none"; }
int root(const CollectiveTable& table) { return has_root(table.operation) ? table.root : -1; }

double micro(Seconds time) { return time.count() * 1e6; }
double giga(double rate) { return rate / 1e9; }

TableRow cells(const CollectiveTable& table, const CollectiveRow& row) {
  return {fmt::format("{}", row.bytes.count()),
          fmt::format("{}", row.count),
          std::string(name(table.type)),
          std::string(reduction(table)),
          fmt::format("{}", root(table)),
          fmt::format("{:.2f}", micro(row.time)),
          fmt::format("{:.2f}", giga(row.algorithm_bandwidth())),
          fmt::format("{:.2f}", giga(row.bus_bandwidth(table))),
          row.bound ? fmt::format("{:.2f}", micro(*row.bound)) : "-",
          row.bound ? fmt::format("{:.1f}", 100 * (*row.bound / row.time)) : "-",
          row.algorithm};
}

// How full each link is over the whole time, the fullest first.
std::string links_text(const CollectiveRow& row) {
  constexpr std::size_t shown = 12;
  std::vector<plan::LinkUse> links = row.links;
  const auto load = [&](const plan::LinkUse& link) { return link.carried / link.bandwidth / row.time; };
  std::stable_sort(links.begin(), links.end(),
                   [&](const plan::LinkUse& a, const plan::LinkUse& b) { return load(a) > load(b); });
  std::vector<TableRow> rows{{"link", "carried", "rate", "load"}};
  for (const plan::LinkUse& link : links) {
    if (rows.size() > shown) break;
    rows.push_back(
        {link.name, rough(link.carried), rough(link.bandwidth), fmt::format("{:.1f} %", 100 * load(link))});
  }
  std::string text = fmt::format("\n# links of {} at {}, the fullest first:\n{}", row.algorithm,
                                 rough(row.bytes), print_table(rows, "lr", "  "));
  if (links.size() >= rows.size()) text += fmt::format("  and {} more\n", links.size() + 1 - rows.size());
  return text;
}

bool is_last_of_its_algorithm(const std::vector<CollectiveRow>& rows, std::size_t i) {
  return i + 1 == rows.size() || rows[i + 1].algorithm != rows[i].algorithm;
}

}  // namespace

double CollectiveRow::bus_bandwidth(const CollectiveTable& table) const {
  return algorithm_bandwidth() * bus_factor(table.operation, table.ranks);
}

std::string collective_text(const CollectiveTable& table, const std::vector<CollectiveRow>& rows) {
  std::vector<TableRow> lines{
      {"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "bound", "of bound", "algorithm"},
      {"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "(us)", "(%)", ""}};
  double sum = 0;
  for (const CollectiveRow& row : rows) {
    lines.push_back(cells(table, row));
    sum += giga(row.bus_bandwidth(table));
  }
  std::string text = fmt::format("# {} of {} ranks on {}, simulated\n{}", collective::name(table.operation),
                                 table.ranks, table.platform, print_table(lines, "rrrrrrrrrrl", "  "));
  text +=
      fmt::format("# Avg bus bandwidth: {:.2f} GB/s\n# GB/s are decimal: 1e9 bytes per second\n# basis: {}\n",
                  sum / static_cast<double>(rows.size()), basis);
  for (std::size_t i = 0; table.links && i < rows.size(); ++i)
    if (is_last_of_its_algorithm(rows, i)) text += links_text(rows[i]);
  return text;
}

std::string collective_csv(const CollectiveTable& table, const std::vector<CollectiveRow>& rows) {
  std::string text = "bytes,count,type,redop,root,time_us,algbw,busbw,bound_us,algorithm\n";
  for (const CollectiveRow& row : rows)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", row.bytes.count(), row.count, name(table.type),
                        reduction(table), root(table), micro(row.time), giga(row.algorithm_bandwidth()),
                        giga(row.bus_bandwidth(table)), row.bound ? fmt::format("{}", micro(*row.bound)) : "",
                        row.algorithm);
  return text;
}

std::string collective_json(const CollectiveTable& table, const std::vector<CollectiveRow>& rows) {
  json::Writer out;
  out.begin_object()
      .member("platform", table.platform)
      .member("operation", collective::name(table.operation))
      .member("ranks", table.ranks)
      .member("type", name(table.type))
      .member("redop", reduction(table))
      .member("root", root(table))
      .member("basis", basis)
      .key("rows")
      .begin_array();
  for (const CollectiveRow& row : rows) {
    out.begin_object(table.links ? json::Layout::lines : json::Layout::one_line)
        .member("bytes", row.bytes.count())
        .member("count", row.count)
        .member("time_us", micro(row.time))
        .member("algbw", giga(row.algorithm_bandwidth()))
        .member("busbw", giga(row.bus_bandwidth(table)));
    row.bound ? out.member("bound_us", micro(*row.bound)) : out.key("bound_us").null();
    out.member("algorithm", row.algorithm);
    if (table.links) {
      out.key("links").begin_array();
      for (const plan::LinkUse& link : row.links)
        out.begin_object(json::Layout::one_line)
            .member("name", link.name)
            .member("bandwidth", link.bandwidth.count())
            .member("bytes", link.carried.count())
            .member("busy_us", micro(link.busy))
            .end_object();
      out.end_array();
    }
    out.end_object();
  }
  return out.end_array().end_object().text();
}

}  // namespace wt
