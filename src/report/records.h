#pragma once
// Rows of one kind three ways: as a table for people, as CSV and as JSON. Each column is described once.

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

// Nothing: an empty field in CSV, null in JSON.
using Field = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Cell {
  Field field{};
  std::string text{};  // for people; empty: there is nothing to say
};

struct Heading {
  std::string_view text{};  // for people; empty: the column is for scripts only
  std::string_view key{};   // in CSV and JSON; empty: for people only
  char side = 'r';
};

struct Records {
  std::vector<Heading> headings{};
  std::vector<std::vector<Cell>> rows{};
};

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
// With so many digits behind the point.
Cell number(double number, int digits, std::string_view unit = "");

// Columns that nothing is said in are left out; elsewhere nothing is "-".
std::string table(const Records& records);
std::string csv(const Records& records);
void write(json::Writer& out, const Records& records);  // an array of objects

// RFC 4180: a field with a comma, a quote or a line break stands in quotes, and quotes in it are doubled.
std::string csv_field(std::string_view text);
std::string csv_number(double number);  // empty where it is none

}  // namespace wt::report
