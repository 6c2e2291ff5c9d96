#include "report/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/rough.h"
#include "base/table.h"

namespace wt::report {

namespace {

bool is_shown(const Records& records, std::size_t column) {
  return !records.headings[column].text.empty() &&
         std::ranges::any_of(records.rows, [&](const auto& row) { return !row[column].text.empty(); });
}

}  // namespace

std::string csv(const Field& field) {
  return std::visit(overloaded{[](std::monostate) { return std::string(); },
                               [](std::int64_t count) { return std::to_string(count); },
                               [](double number) { return csv_number(number); },
                               [](const std::string& text) { return csv_field(text); }},
                    field);
}

void write(json::Writer& out, const Field& field) {
  const auto* number = std::get_if<double>(&field);
  if (std::holds_alternative<std::monostate>(field) || (number != nullptr && !std::isfinite(*number)))
    out.null();
  else if (number != nullptr)
    out.value(*number);
  else if (const auto* count = std::get_if<std::int64_t>(&field))
    out.value(*count);
  else
    out.value(std::get<std::string>(field));
}

Cell cell(const std::string& text) { return text.empty() ? Cell{} : Cell{text, text}; }
Cell cell(std::int64_t count) { return {count, std::to_string(count)}; }
Cell cell(Seconds time) { return {time.count(), time == Seconds(0) ? "0" : rough(time)}; }
Cell cell(Bytes bytes) { return {bytes.count(), rough(bytes)}; }
Cell share(double share) { return {share, fmt::format("{:.1f} %", 100 * share)}; }
Cell number(double number, int digits, std::string_view unit) {
  return {number, fmt::format("{:.{}f}{}", number, digits, unit)};
}

std::string table(const Records& records) {
  std::vector<TableRow> lines(1 + records.rows.size());
  std::string sides;
  for (std::size_t column = 0; column < records.headings.size(); ++column) {
    if (!is_shown(records, column)) continue;
    sides += records.headings[column].side;
    lines[0].emplace_back(records.headings[column].text);
    for (std::size_t row = 0; row < records.rows.size(); ++row) {
      const std::string& text = records.rows[row][column].text;
      lines[row + 1].push_back(text.empty() ? "-" : text);
    }
  }
  return sides.empty() ? "" : print_table(lines, sides);
}

std::string csv(const Records& records) {
  std::string text;
  const auto add_line = [&](const auto& field_of) {
    bool is_first = true;
    for (std::size_t column = 0; column < records.headings.size(); ++column) {
      if (records.headings[column].key.empty()) continue;
      text += (is_first ? "" : ",") + field_of(column);
      is_first = false;
    }
    text += "\n";
  };
  add_line([&](std::size_t column) { return std::string(records.headings[column].key); });
  for (const auto& row : records.rows) add_line([&](std::size_t column) { return csv(row[column].field); });
  return text;
}

void write(json::Writer& out, const Records& records) {
  out.begin_array();
  for (const auto& row : records.rows) {
    out.begin_object(json::Layout::one_line);
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (records.headings[column].key.empty()) continue;
      out.key(records.headings[column].key);
      write(out, row[column].field);
    }
    out.end_object();
  }
  out.end_array();
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_number(double number) { return std::isfinite(number) ? json::print_number(number) : ""; }

}  // namespace wt::report
