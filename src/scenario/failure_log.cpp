#include "scenario/failure_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "data/csv_text.h"

namespace wt::scenario {

namespace {

constexpr std::array<std::string_view, 3> columns{"node", "start", "end"};

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// A moment as the file has it: a number of seconds, or a date.
struct Moment {
  double seconds = 0;
  bool is_date = false;
};

// "2026-11-01 10:20:00", "2026-11-01T10:20:00Z", or without seconds.
std::optional<Moment> date_in(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const auto part = [&](std::size_t at, std::size_t length) -> std::optional<int> {
    return at + length <= text.size() ? number_in<int>(text.substr(at, length)) : std::nullopt;
  };
  const bool has_seconds = text.size() == 19;
  if ((text.size() != 16 && !has_seconds) || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
      (text[10] != ' ' && text[10] != 'T') || (has_seconds && text[16] != ':'))
    return std::nullopt;
  const auto year = part(0, 4), month = part(5, 2), day = part(8, 2), hour = part(11, 2),
             minute = part(14, 2), second = has_seconds ? part(17, 2) : std::optional(0);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return Moment{static_cast<double>(days) * 86'400.0 + *hour * 3600.0 + *minute * 60.0 + *second, true};
}

std::optional<Moment> moment_in(std::string_view text) {
  if (const auto number = number_in<double>(text); number && std::isfinite(*number)) return Moment{*number};
  return date_in(text);
}

class LogReader {
 public:
  explicit LogReader(const std::string& file)
      : file_(file), text_(read_text(file)), rows_(text_, file_, ',') {}

  std::vector<LoggedFailure> read() {
    std::vector<data::CsvField> record;
    if (rows_.next(record)) find_columns(record);
    while (!problems_.any() && rows_.next(record)) read_row(record);
    problems_.throw_if_any();
    return from_first_date();
  }

 private:
  void find_columns(const std::vector<data::CsvField>& header) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto found = std::ranges::find(header, columns[i], &data::CsvField::text);
      if (found == header.end())
        problems_.add(rows_.place(header.front()), fmt::format("there is no column \"{}\"", columns[i]),
                      "name the columns node, start and end in the first line");
      else
        at_[i] = static_cast<std::size_t>(found - header.begin());
    }
  }

  void read_row(const std::vector<data::CsvField>& record) {
    for (const std::size_t at : at_)
      if (at >= record.size())
        return problems_.add(rows_.place(record.front()), "a field is missing in this line",
                             "complete the line");
    const data::CsvField &node = record[at_[0]], &start = record[at_[1]], &end = record[at_[2]];
    const auto number = number_in<std::int64_t>(node.text);
    const auto from = moment(start), until = moment(end);
    if (!number || *number < 0)
      problems_.add(rows_.place(node),
                    fmt::format("\"{}\" is no number of a machine", printable(std::string(node.text))),
                    "write a whole number from 0 on");
    if (!number || *number < 0 || !from || !until) return;
    if (until->seconds < from->seconds)
      return problems_.add(rows_.place(end), "the failure ends before it starts", "correct one of the two");
    failures_.push_back({*number, Seconds(from->seconds), Seconds(until->seconds)});
  }

  std::optional<Moment> moment(const data::CsvField& field) {
    const auto found = moment_in(field.text);
    if (!found || (found->seconds < 0 && !found->is_date))
      problems_.add(rows_.place(field), fmt::format("\"{}\" is no time", printable(std::string(field.text))),
                    "write a number of seconds, or a date as 2026-11-01 10:20:00");
    else if (is_date_.value_or(found->is_date) != found->is_date)
      problems_.add(rows_.place(field), "the file has both dates and numbers of seconds", "use one of them");
    else
      is_date_ = found->is_date;
    return problems_.any() ? std::nullopt : found;
  }

  std::vector<LoggedFailure> from_first_date() {
    if (failures_.empty() || !is_date_.value_or(false)) return std::move(failures_);
    const Seconds first = std::ranges::min(failures_, {}, &LoggedFailure::start).start;
    for (LoggedFailure& failure : failures_)
      failure = {failure.node, failure.start - first, failure.end - first};
    return std::move(failures_);
  }

  const std::string file_;
  const std::string text_;
  data::CsvText rows_;
  std::array<std::size_t, columns.size()> at_{};
  std::optional<bool> is_date_{};
  std::vector<LoggedFailure> failures_{};
  Problems problems_{};
};

}  // namespace

std::vector<LoggedFailure> read_failure_log(const std::string& file) { return LogReader(file).read(); }

}  // namespace wt::scenario
