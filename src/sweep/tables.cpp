#include "sweep/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/duration.h"
#include "base/json_writer.h"

namespace wt::sweep {

namespace {

using report::Cell;
using report::Field;

std::size_t column_of(const Header& header, std::string_view name) {
  const auto found = std::ranges::find(header.columns, name);
  WT_EXPECT(found != header.columns.end(), "a sweep without the column {}", name);
  return static_cast<std::size_t>(found - header.columns.begin());
}

// ---- For people

Cell plain(const Field& field) {
  if (const auto* count = std::get_if<std::int64_t>(&field)) return report::cell(*count);
  if (const auto* number = std::get_if<double>(&field)) return {field, fmt::format("{:.4g}", *number)};
  if (const auto* text = std::get_if<std::string>(&field)) return report::cell(*text);
  return {};
}

template <class Make>
Cell of_number(const Field& field, Make make) {
  const auto* number = std::get_if<double>(&field);
  return number == nullptr ? Cell{} : make(*number);
}
Cell seconds(const Field& field) {
  return of_number(field, [](double number) { return report::cell(Seconds(number)); });
}
Cell long_time(const Field& field) {
  return of_number(field, [](double number) { return Cell{number, duration(Seconds(number))}; });
}
Cell rate(const Field& field) {
  return of_number(field, [](double number) { return report::number(number, number < 100 ? 1 : 0); });
}
Cell share(const Field& field) {
  return of_number(field, [](double number) { return report::share(number); });
}
Cell bytes(const Field& field) {
  const auto* count = std::get_if<std::int64_t>(&field);
  return count == nullptr ? Cell{} : report::cell(Bytes(*count));
}
Cell unless_done(const Field& field) {
  const auto* text = std::get_if<std::string>(&field);
  return text == nullptr || *text == "done" ? Cell{} : report::cell(*text);
}

struct Shown {
  std::string_view name{};
  std::string_view heading{};
  Cell (*cell)(const Field& field) = plain;
  bool is_always = true;  // otherwise: only if the rows differ in it
};
constexpr std::array shown{
    Shown{"platform", "platform", plain, false},
    Shown{"strategy", "strategy", plain, false},
    Shown{"devices", "devices"},
    Shown{"machines", "machines", plain, false},
    Shown{"global_batch", "global batch"},
    Shown{"precision", "precision", plain, false},
    Shown{"step_time_s", "step", seconds},
    Shown{"samples_per_second", "samples/s", rate},
    Shown{"samples_per_second_per_device", "per device", rate},
    Shown{"scaling_efficiency", "efficiency", share},
    Shown{"baseline", "scaling", plain, false},
    Shown{"memory_bytes", "memory", bytes},
    Shown{"job_time_s", "job", long_time, false},
    Shown{"goodput", "goodput", share, false},
    Shown{"bound_by", "mostly"},
    Shown{"outcome", "", unless_done},
    Shown{"reason", ""},
};

bool differs(const std::vector<const Row*>& rows, std::size_t column) {
  return std::ranges::any_of(rows, [&](const Row* row) { return (*row)[column] != (*rows.front())[column]; });
}

void add_column(const std::vector<const Row*>& rows, std::size_t column, std::string_view heading,
                Cell (*cell)(const Field&), report::Records& records) {
  const bool is_text = std::ranges::any_of(
      rows, [&](const Row* row) { return std::holds_alternative<std::string>((*row)[column]); });
  records.headings.push_back({heading.empty() ? " " : heading, "", is_text ? 'l' : 'r'});
  for (std::size_t i = 0; i < rows.size(); ++i) records.rows[i].push_back(cell((*rows[i])[column]));
}

std::vector<const Row*> fastest(const Header& header, const std::map<std::int64_t, Row>& rows,
                                std::size_t most) {
  const std::size_t samples = column_of(header, "samples_per_second");
  const auto speed = [&](const Row* row) {
    const auto* number = std::get_if<double>(&(*row)[samples]);
    return number == nullptr ? 0 : *number;
  };
  std::vector<const Row*> order;
  for (const auto& [number, row] : rows) order.push_back(&row);
  if (order.size() <= most) return order;
  std::ranges::stable_sort(order, std::ranges::greater{}, speed);
  order.resize(most);
  return order;
}

}  // namespace

std::string csv(const Header& header, const std::map<std::int64_t, Row>& rows) {
  std::string text;
  const auto add_line = [&](const auto& line, const auto& print) {
    for (std::size_t i = 0; i < line.size(); ++i) text += (i == 0 ? "" : ",") + print(line[i]);
    text += "\n";
  };
  add_line(header.columns, [](const std::string& column) { return report::csv_field(column); });
  for (const auto& [number, row] : rows) add_line(row, [](const Field& field) { return report::csv(field); });
  return text;
}

std::string json(const Header& header, const std::map<std::int64_t, Row>& rows) {
  json::Writer out;
  out.begin_object()
      .member("format", "windtunnel sweep")
      .member("format_version", 1)
      .member("version", header.version)
      .member("constants_version", header.constants)
      .member("name", header.name)
      .key("rows")
      .begin_array();
  for (const auto& [number, row] : rows) {
    out.begin_object(json::Layout::one_line);
    for (std::size_t i = 0; i < row.size(); ++i) report::write(out.key(header.columns[i]), row[i]);
    out.end_object();
  }
  return out.end_array().end_object().text();
}

std::string table(const Header& header, const std::map<std::int64_t, Row>& rows, std::size_t most) {
  if (rows.empty()) return "";
  const std::vector<const Row*> order = fastest(header, rows, most);
  report::Records records{.rows = std::vector<std::vector<Cell>>(order.size())};
  // The axes that are columns of their own stand before the column "name".
  for (std::size_t column = 1; column < column_of(header, "name"); ++column)
    add_column(order, column, header.columns[column], plain, records);
  for (const Shown& each : shown) {
    const std::size_t column = column_of(header, each.name);
    if (each.is_always || differs(order, column)) add_column(order, column, each.heading, each.cell, records);
  }
  return report::table(records);
}

}  // namespace wt::sweep
