#pragma once
// Writes a list of equal rows in three formats: a table for people, CSV and JSON. Each column is described
// once:
//
//   {{"step", "step_time_s"}, [](const Row& row) { return cell(row.step); }}
//
// is the column "step" with the cell "12.3 ms" in the table, and step_time_s with 0.0123 in CSV and JSON.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "base/quantity.h"

namespace wt::report {

// The value for scripts. monostate is an empty field in CSV and null in JSON.
using Field = std::variant<std::monostate, std::int64_t, double, std::string>;

// A value in a row, for scripts and for people.
struct Cell {
  Field field{};
  std::string text{};  // for people; empty: the value is absent
};

// The head of a column.
struct Heading {
  std::string_view text{};  // in the table; empty: the column is for scripts only
  std::string_view key{};   // in CSV and JSON; empty: the column is for people only
  char side = 'r';          // alignment in the table: 'l' or 'r'
};

// The rows, as cells.
struct Records {
  std::vector<Heading> headings{};
  std::vector<std::vector<Cell>> rows{};
};

// A column: its head, and the function that makes its cell from a row.
template <class Row>
struct Column {
  Heading heading{};
  Cell (*cell)(const Row& row) = nullptr;
};

template <class Row>
Records records_of(std::span<const Column<Row>> columns, const std::vector<Row>& rows) {
  Records records;
  for (const Column<Row>& column : columns) records.headings.push_back(column.heading);
  for (const Row& row : rows) {
    std::vector<Cell>& cells = records.rows.emplace_back();
    for (const Column<Row>& column : columns) cells.push_back(column.cell(row));
  }
  return records;
}

Cell cell(const std::string& text);
Cell cell(std::int64_t count);
Cell cell(Seconds time);
Cell cell(Bytes bytes);
Cell share(double share);  // 0.25: "25.0 %"
// A number with this many digits after the decimal point.
Cell number(double number, int digits, std::string_view unit = "");

// The table omits columns without any text. Other absent values are written as "-".
std::string table(const Records& records);
std::string csv(const Records& records);
void write(json::Writer& out, const Records& records);  // an array of objects
std::string csv(const Field& field);
void write(json::Writer& out, const Field& field);

// RFC 4180: a field with a comma, a quote or a line break stands in quotes, and quotes in it are doubled.
std::string csv_field(std::string_view text);
std::string csv_number(double number);  // empty for NaN and infinity

}  // namespace wt::report
