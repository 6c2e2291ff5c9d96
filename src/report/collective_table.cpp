#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/table.h"
#include "report/collective_figures.h"
#include "report/collective_table.h"

namespace wt::report {

namespace {

// ---- Text

// A column of the text: two lines of heading, the alignment, and the function that makes a cell.
struct Column {
  std::string_view name{}, unit{};
  char side = 'r';
  std::string (*cell)(const CollectiveTable& table, const communication::CollectiveRow& row) = nullptr;
  // Null: the column is always shown. Else it is shown if this holds for any row.
  bool (*is_shown)(const communication::CollectiveRow& row) = nullptr;
};

using T = const CollectiveTable&;
using R = const communication::CollectiveRow&;
std::string two(double value) { return fmt::format("{:.2f}", value); }
std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }
Speed in_place(T table, R row) { return speed(table, row, row.in_place_time()); }
bool differs_in_place(R row) { return row.in_place.has_value(); }
bool has_runner_up(R row) { return !row.runner_up.empty(); }
std::string share_text(R row) { return row.bound ? fmt::format("{:.1f}", 100 * *share_of_bound(row)) : "-"; }

constexpr std::array columns{
    Column{"size", "(B)", 'r', [](T, R row) { return fmt::format("{}", row.bytes.count()); }},
    Column{"count", "(elements)", 'r', [](T, R row) { return fmt::format("{}", row.count); }},
    Column{"type", "", 'r', [](T table, R) { return std::string(table.type); }},
    Column{"redop", "", 'r', [](T table, R) { return table.reduction; }},
    Column{"root", "", 'r', [](T table, R) { return fmt::format("{}", table.root); }},
    Column{"time", "(us)", 'r', [](T table, R row) { return two(speed(table, row, row.time).time_us); }},
    Column{"algbw", "(GB/s)", 'r', [](T table, R row) { return two(speed(table, row, row.time).algbw); }},
    Column{"busbw", "(GB/s)", 'r', [](T table, R row) { return two(speed(table, row, row.time).busbw); }},
    Column{"in place", "(us)", 'r', [](T table, R row) { return two(in_place(table, row).time_us); },
           differs_in_place},
    Column{"algbw", "(GB/s)", 'r', [](T table, R row) { return two(in_place(table, row).algbw); },
           differs_in_place},
    Column{"busbw", "(GB/s)", 'r', [](T table, R row) { return two(in_place(table, row).busbw); },
           differs_in_place},
    Column{"bound", "(us)", 'r', [](T, R row) { return row.bound ? two(row.bound->count() * 1e6) : "-"; }},
    Column{"of bound", "(%)", 'r', [](T, R row) { return share_text(row); }},
    Column{"algorithm", "", 'l', [](T, R row) { return row.algorithm; }},
    Column{"protocol", "", 'l', [](T, R row) { return or_dash(row.protocol); }},
    Column{"runner-up", "", 'l', [](T, R row) { return or_dash(row.runner_up); }, has_runner_up},
    Column{"basis", "", 'l', [](T, R row) { return row.basis; }},
};

std::string rows_text(T table) {
  std::vector<TableRow> lines(2 + table.rows.size());
  std::string sides;
  for (const Column& column : columns) {
    if (column.is_shown != nullptr && std::ranges::none_of(table.rows, column.is_shown)) continue;
    sides += column.side;
    lines[0].emplace_back(column.name);
    lines[1].emplace_back(column.unit);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      lines[i + 2].push_back(column.cell(table, table.rows[i]));
  }
  return print_table(lines, sides, "  ");
}

std::string header(T table) {
  const std::string groups =
      table.groups > 1 ? fmt::format("{} groups at once, each ", table.groups) : std::string();
  std::string text =
      fmt::format("# {} of {}{} ranks on {} ({}), simulated\n", collective::name(table.operation), groups,
                  table.ranks, table.platform, counted(table.machines, "machine"));
  if (!table.launch.empty()) text += fmt::format("# launch: {}\n", table.launch);
  if (!table.order.empty()) text += fmt::format("# rank order: {}\n", table.order);
  return text;
}

std::string footer(T table) {
  std::string text = fmt::format(
      "# Avg bus bandwidth: {:.2f} GB/s\n# GB/s are decimal: 1e9 bytes per second\n", mean_busbw(table));
  for (const Basis& basis : bases_of(table)) text += fmt::format("# {}: {}\n", basis.name, basis.meaning);
  std::int64_t moves = 0, played = 0;
  for (const communication::CollectiveRow& row : table.rows)
    if (row.played < row.moves) moves += row.moves, played += row.played;
  if (moves > 0) text += fmt::format("# folded: {} of {} moves were played\n", played, moves);
  return text;
}

// The load of each link over the whole time, in descending order.
std::string links_text(R row) {
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

bool is_last_of_its_algorithm(const std::vector<communication::CollectiveRow>& rows, std::size_t i) {
  return i + 1 == rows.size() || rows[i + 1].algorithm != rows[i].algorithm;
}

// ---- Measured

// Two columns for each series: the predicted time, and its error.
std::string measured_text(T table, const communication::MeasuredTable& measured) {
  const std::vector<std::string> series = series_of(table);
  std::vector<TableRow> lines(2 + measured.rows.size());
  lines[0] = {"size", "measured"}, lines[1] = {"(B)", "(us)"};
  std::string text =
      fmt::format("\n# measured in {}; the error is predicted over measured time, less 1\n", measured.name);
  std::string medians;
  for (std::size_t i = 0; i < measured.rows.size(); ++i)
    lines[i + 2] = {fmt::format("{}", measured.rows[i].bytes.count()),
                    two(measured.rows[i].out_of_place.time.count() * 1e6)};
  for (const std::string& name : series) {
    lines[0].insert(lines[0].end(), {name, "error"});
    lines[1].insert(lines[1].end(), {"(us)", "(%)"});
    for (std::size_t i = 0; i < measured.rows.size(); ++i) {
      const auto found = prediction(table, name, measured.rows[i]);
      lines[i + 2].push_back(found ? two(found->time.count() * 1e6) : "-");
      lines[i + 2].push_back(found ? fmt::format("{:+.1f}", 100 * found->error) : "-");
    }
    if (const auto error = median_error(table, name, measured))
      medians += fmt::format("# median error of {}: {:.1f} % over {}\n", name, 100 * error->median,
                             counted(error->sizes, "size"));
  }
  return text + print_table(lines, std::string(lines[0].size(), 'r'), "  ") + medians;
}

// ---- CSV and JSON

std::string optional_number(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : std::string();
}

json::Writer& optional_member(json::Writer& out, std::string_view key, std::optional<double> number) {
  return number ? out.member(key, *number) : out.key(key).null();
}
json::Writer& optional_member(json::Writer& out, std::string_view key, const std::string& text) {
  return text.empty() ? out.key(key).null() : out.member(key, text);
}

std::optional<double> bound_us(R row) {
  return row.bound ? std::optional(row.bound->count() * 1e6) : std::nullopt;
}

void write_links(json::Writer& out, R row) {
  out.key("links").begin_array();
  for (const plan::LinkUse& link : row.links)
    out.begin_object(json::Layout::one_line)
        .member("name", link.name)
        .member("bandwidth", link.bandwidth.count())
        .member("bytes", link.carried.count())
        .member("busy_us", link.busy.count() * 1e6)
        .end_object();
  out.end_array();
}

void write_row(json::Writer& out, T table, R row) {
  const Speed out_of_place = speed(table, row, row.time), inside = in_place(table, row);
  out.begin_object(table.links ? json::Layout::lines : json::Layout::one_line)
      .member("bytes", row.bytes.count())
      .member("count", row.count)
      .member("time_us", out_of_place.time_us)
      .member("algbw", out_of_place.algbw)
      .member("busbw", out_of_place.busbw)
      .member("in_place_time_us", inside.time_us)
      .member("in_place_algbw", inside.algbw)
      .member("in_place_busbw", inside.busbw);
  optional_member(out, "bound_us", bound_us(row));
  optional_member(out, "bound_share", share_of_bound(row));
  out.member("algorithm", row.algorithm);
  optional_member(out, "protocol", row.protocol);
  optional_member(out, "runner_up", row.runner_up);
  out.member("basis", row.basis).member("moves", row.moves).member("moves_played", row.played);
  if (table.links) write_links(out, row);
  out.end_object();
}

void write_measured_row(json::Writer& out, T table, const communication::MeasuredRow& row) {
  out.begin_object(json::Layout::one_line)
      .member("bytes", row.bytes.count())
      .member("time_us", row.out_of_place.time.count() * 1e6)
      .member("algbw", row.out_of_place.algbw)
      .member("busbw", row.out_of_place.busbw)
      .key("predicted")
      .begin_array();
  for (const std::string& name : series_of(table))
    if (const auto found = prediction(table, name, row))
      out.begin_object()
          .member("algorithm", name)
          .member("time_us", found->time.count() * 1e6)
          .member("error", found->error)
          .end_object();
  out.end_array().end_object();
}

void write_measured(json::Writer& out, T table) {
  out.key("measured").begin_array();
  for (const communication::MeasuredTable& measured : table.measured) {
    out.begin_object().member("name", measured.name).key("rows").begin_array();
    for (const communication::MeasuredRow& row : measured.rows) write_measured_row(out, table, row);
    out.end_array().end_object();
  }
  out.end_array();
}

}  // namespace

std::string collective_text(const CollectiveTable& table) {
  std::string text = header(table) + rows_text(table) + footer(table);
  for (std::size_t i = 0; table.links && i < table.rows.size(); ++i)
    if (is_last_of_its_algorithm(table.rows, i)) text += links_text(table.rows[i]);
  for (const communication::MeasuredTable& measured : table.measured) text += measured_text(table, measured);
  return text;
}

std::string collective_csv(const CollectiveTable& table) {
  std::string text =
      "bytes,count,type,redop,root,time_us,algbw,busbw,in_place_time_us,in_place_algbw,in_place_busbw,bound_"
      "us,"
      "algorithm,protocol,runner_up,basis\n";
  for (const communication::CollectiveRow& row : table.rows) {
    const Speed out = speed(table, row, row.time), inside = in_place(table, row);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.bytes.count(), row.count,
                        table.type, table.reduction, table.root, out.time_us, out.algbw, out.busbw,
                        inside.time_us, inside.algbw, inside.busbw, optional_number(bound_us(row)),
                        row.algorithm, row.protocol, row.runner_up, row.basis);
  }
  return text;
}

std::string collective_json(const CollectiveTable& table) {
  json::Writer out;
  out.begin_object();
  write_common(out, table);
  out.member("mean_busbw", mean_busbw(table)).key("warnings").begin_array();
  for (const std::string& warning : table.warnings) out.value(warning);
  out.end_array().key("rows").begin_array();
  for (const communication::CollectiveRow& row : table.rows) write_row(out, table, row);
  out.end_array();
  if (!table.measured.empty()) write_measured(out, table);
  return out.end_object().text();
}

}  // namespace wt::report
