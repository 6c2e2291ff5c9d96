#include "sweep/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "base/json_override.h"
#include "base/json_writer.h"
#include "base/rough.h"

namespace wt::sweep {

namespace {

Setting setting_of(const json::Value& value) {
  return {value.kind() == json::Kind::string ? value.string() : json::compact(value), value};
}

// ---- Ranges

struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  char step = '+';  // or 'x'
  std::int64_t by = 1;
};

// Removes a whole number from the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Empty if the text is not a range. "1..64x2", "1..7+2", "1..4".
std::optional<NumberRange> range_of(std::string_view text) {
  NumberRange range;
  const auto first = take_number(text);
  if (!first || !text.starts_with("..")) return std::nullopt;
  text.remove_prefix(2);
  const auto last = take_number(text);
  if (!last) return std::nullopt;
  range.first = *first;
  range.last = *last;
  if (text.empty()) return range;
  range.step = text.front();
  text.remove_prefix(1);
  const auto by = take_number(text);
  if (!by || !text.empty() || (range.step != '+' && range.step != 'x')) return std::nullopt;
  range.by = *by;
  return range;
}

std::string fault_of(const NumberRange& range) {
  if (range.first > range.last) return "its end is before its beginning";
  if (range.step == '+') {
    if (range.by < 1) return "its step is below 1";
    // The numbers of a range are counts, far from the largest integer; others are refused before they overflow.
    const double count =
        (static_cast<double>(range.last) - static_cast<double>(range.first)) / static_cast<double>(range.by);
    return count < static_cast<double>(most_values) ? ""
                                                    : fmt::format("it has more than {} values", most_values);
  }
  if (range.by < 2) return "its factor is below 2";
  return range.first < 1 ? "it begins below 1, and a factor leads nowhere from there" : "";
}

std::vector<std::int64_t> numbers_of(const NumberRange& range) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = range.first;;) {
    numbers.push_back(number);
    if (range.step == '+' ? number > range.last - range.by : number > range.last / range.by) return numbers;
    number = range.step == '+' ? number + range.by : number * range.by;
  }
}

void add_range(const json::Value& value, const NumberRange& range, std::vector<Setting>& settings,
               Problems& problems) {
  if (const std::string fault = fault_of(range); !fault.empty()) {
    problems.add(value.place(), fmt::format("the range \"{}\" cannot be used: {}", value.string(), fault),
                 "write 1..64x2 for 1, 2, 4, ..., 64, or 1..7+2 for 1, 3, 5, 7");
    return;
  }
  for (const std::int64_t number : numbers_of(range))
    settings.push_back(setting_of(json::parse(std::to_string(number), std::string(json::command_line))));
}

void add(const json::Value& value, std::vector<Setting>& settings, Problems& problems) {
  if (value.kind() == json::Kind::string)
    if (const auto range = range_of(value.string())) return add_range(value, *range, settings, problems);
  settings.push_back(setting_of(value));
}

// ---- The command line

// The parts of a text between separators that stand outside of brackets and quotation marks.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"' && (i == 0 || text[i - 1] != '\\')) is_quoted = !is_quoted;
    if (!is_quoted && (letter == '{' || letter == '[')) ++depth;
    if (!is_quoted && (letter == '}' || letter == ']')) --depth;
    if (depth == 0 && !is_quoted && text.substr(i).starts_with(separator)) {
      parts.emplace_back();
      i += separator.size() - 1;
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

void add_key(const std::string& text, Axis& axis, Problems& problems) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    problems.add({}, fmt::format("--axis {}: wanted key=values", text),
                 "as in --axis machines=1..64x2 or --axis platform=dgx_a100,dgx_h100");
    return;
  }
  axis.keys.push_back(text.substr(0, equals));
  std::vector<Setting>& settings = axis.settings.emplace_back();
  for (const std::string& word : split(std::string_view(text).substr(equals + 1), ","))
    add(json::override_value(word, 0), settings, problems);
}

}  // namespace

std::vector<Setting> settings_of(const json::Value& value, Problems& problems) {
  std::vector<Setting> settings;
  if (value.kind() != json::Kind::array) {
    add(value, settings, problems);
  } else {
    for (const json::Value& element : value.elements()) add(element, settings, problems);
  }
  return settings;
}

Axis axis_of(const std::string& text, Problems& problems) {
  Axis axis;
  for (const std::string& part : split(text, " and ")) add_key(part, axis, problems);
  if (axis.keys.empty()) return axis;
  check(axis, {}, problems);
  return axis;
}

void check(const Axis& axis, const Place& place, Problems& problems) {
  std::vector<std::string> sizes;
  bool differ = false;
  for (std::size_t i = 0; i < axis.keys.size(); ++i) {
    const std::size_t size = axis.settings[i].size();
    sizes.push_back(fmt::format("\"{}\" {}", axis.keys[i], size));
    differ = differ || size != axis.size();
    if (size == 0) problems.add(place, fmt::format("the axis \"{}\" has no values", axis.keys[i]), "");
    if (size > most_values)
      problems.add(place, fmt::format("the axis \"{}\" has more than {} values", axis.keys[i], most_values),
                   "");
  }
  if (differ)
    problems.add(
        place,
        fmt::format("keys that vary together have different numbers of values: {}", fmt::join(sizes, ", ")),
        "give each the same number, or make them axes of their own");
}

}  // namespace wt::sweep
