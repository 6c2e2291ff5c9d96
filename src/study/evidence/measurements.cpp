#include "study/evidence/measurements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/file.h"
#include "base/narrow.h"
#include "base/utf8.h"

namespace wt::evidence {

namespace {

constexpr std::array<std::string_view, 12> columns{
    "source",      "system",         "devices", "nodes",  "gpus_per_node", "strategy_or_algo",
    "model_or_op", "bytes_or_batch", "dtype",   "metric", "value",         "unit"};

// Files may have further columns after these. What is read of them is a note on how the row was measured.
constexpr std::string_view note_column = "note";

// Splits a line of CSV. A cell in quotes may contain commas, and two quotes within it stand for one (RFC
// 4180).
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

// Larger than any published number of devices. A larger number is a typing error.
constexpr int most = 1 << 20;

template <class Number>
std::optional<Number> number(std::string_view text, Number at_least, Number at_most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= at_least && value <= at_most))
    return std::nullopt;
  return value;
}

// The columns of one file.
struct Header {
  std::size_t size = 0;
  std::optional<std::size_t> note{};  // the position of the note's column
};

// Nothing if the line doesn't begin with the expected columns.
std::optional<Header> read_header(std::string_view line) {
  const std::vector<std::string> cells = split(line);
  if (cells.size() < columns.size() || !std::equal(columns.begin(), columns.end(), cells.begin()))
    return std::nullopt;
  Header header{.size = cells.size()};
  if (const auto note = std::find(cells.begin() + columns.size(), cells.end(), note_column);
      note != cells.end())
    header.note = static_cast<std::size_t>(note - cells.begin());
  return header;
}

std::optional<Measurement> read_row(std::string_view line, const Header& header, const Place& place,
                                    Problems& problems) {
  const std::vector<std::string> cells = split(line);
  if (cells.size() != header.size) {
    problems.add(place, fmt::format("the line has {} cells, and it must have {}", cells.size(), header.size),
                 "put cells with commas in quotes");
    return std::nullopt;
  }
  const auto devices = number<int>(cells[2], 1, most);
  const auto value = number<double>(cells[10], 0, 1e15);
  if (!devices) problems.add(place, fmt::format("\"{}\" is not a number of devices", printable(cells[2])));
  if (!value) problems.add(place, fmt::format("\"{}\" is not a number of at least 0", printable(cells[10])));
  return Measurement{.place = place,
                     .source = cells[0],
                     .system = cells[1],
                     .strategy = cells[5],
                     .model = cells[6],
                     .batch = cells[7],
                     .type = cells[8],
                     .metric = cells[9],
                     .unit = cells[11],
                     .note = header.note ? cells[*header.note] : std::string(),
                     .devices = devices.value_or(0),
                     .nodes = number<int>(cells[3], 1, most).value_or(1),
                     .value = value.value_or(0)};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void read_file(const std::filesystem::path& path, std::vector<Measurement>& rows, Problems& problems) {
  const std::string text = read_text(path);
  const std::vector<std::string_view> lines = lines_of(text);
  const auto place = [&](std::size_t i) {
    return Place{
        .file = path.string(), .line = narrow<int>(i) + 1, .column = 1, .source_line = std::string(lines[i])};
  };
  const std::optional<Header> header = lines.empty() ? std::nullopt : read_header(lines[0]);
  if (!header) {
    problems.add(Place{.file = path.string(), .line = lines.empty() ? 0 : 1, .column = 1},
                 "the file doesn't begin with the expected columns",
                 fmt::format("begin with {}", fmt::join(columns, ",")));
    return;
  }
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (auto row = read_row(lines[i], *header, place(i), problems)) rows.push_back(std::move(*row));
}

}  // namespace

std::vector<Measurement> read_measurements(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (error) throw InputError(fmt::format("\"{}\": {}", folder.string(), error.message()), "name a folder");
  if (files.empty()) throw InputError(fmt::format("there is no CSV file in \"{}\"", folder.string()));
  std::sort(files.begin(), files.end());
  std::vector<Measurement> rows;
  Problems problems;
  for (const std::filesystem::path& file : files) read_file(file, rows, problems);
  problems.throw_if_any();
  return rows;
}

std::vector<Measurement> read_measurement_file(const std::filesystem::path& file) {
  std::vector<Measurement> rows;
  Problems problems;
  read_file(file, rows, problems);
  problems.throw_if_any();
  return rows;
}

}  // namespace wt::evidence
