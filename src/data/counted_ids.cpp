#include "data/counted_ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/utf8.h"
#include "data/csv_text.h"
#include "data/number_text.h"

namespace wt::data {

CountedIds::CountedIds(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
  before_.push_back(0);
  for (const Range& range : ranges_) before_.push_back(before_.back() + range.count);
  WT_EXPECT(!ranges_.empty() && before_.back() > 0, "{} ranges with the count {}", ranges_.size(),
            before_.back());
}

double CountedIds::below(double end) const {
  const auto next = std::ranges::partition_point(
      ranges_, [&](const Range& range) { return static_cast<double>(range.last + 1) <= end; });
  const auto whole = static_cast<std::size_t>(next - ranges_.begin());
  double count = before_[whole];
  if (next != ranges_.end()) {
    const double ids = static_cast<double>(next->last - next->first + 1);
    count += next->count * (std::max(0.0, end - static_cast<double>(next->first)) / ids);
  }
  return count / before_.back();
}

std::int64_t CountedIds::id(double uniform) const {
  const double wanted = uniform * before_.back();
  const auto above = std::upper_bound(before_.begin() + 1, before_.end() - 1, wanted);
  const auto number = static_cast<std::size_t>(above - before_.begin()) - 1;
  const Range& range = ranges_[number];
  const double ids = static_cast<double>(range.last - range.first + 1);
  const auto within = static_cast<std::int64_t>((wanted - before_[number]) / range.count * ids);
  return std::min(range.first + within, range.last);
}

namespace {

// Ids above this have no float64 of their own, and counts above it would add up to infinity.
constexpr std::int64_t largest_id = std::int64_t{1} << 53;
constexpr double largest_count = 1e30;

// One pass over the lines of such a file.
class CountsReader {
 public:
  CountsReader(const std::string& text, const std::string& file) : text_(text, file, ','), file_(file) {}

  CountedIds read() {
    read_header();
    while (text_.next(record_)) read_line();
    problems_.throw_if_any();
    std::ranges::sort(lines_, {}, [](const Line& line) { return line.range.first; });
    for (std::size_t i = 1; i < lines_.size(); ++i)
      if (lines_[i].range.first <= lines_[i - 1].range.last)
        problems_.add(lines_[i].place, fmt::format("the id {} has a count twice", lines_[i].range.first),
                      "give each id one line");
    std::vector<CountedIds::Range> ranges;
    for (const Line& line : lines_)
      if (line.range.count > 0) ranges.push_back(line.range);
    if (ranges.empty()) problems_.add({.file = file_}, "no id has a count above 0", "give at least one");
    problems_.throw_if_any();
    return CountedIds(std::move(ranges));
  }

 private:
  struct Line {
    CountedIds::Range range{};
    Place place{};
  };

  void read_header() {
    std::string header;
    if (text_.next(record_))
      for (const CsvField& field : record_)
        header += (header.empty() ? "" : ",") + std::string(trimmed(field.text));
    has_ranges_ = header == "first,last,count";
    if (!has_ranges_ && header != "id,count")
      throw InputError(Problem{{.file = file_},
                               fmt::format("the first line is \"{}\"", printable(header)),
                               R"(begin with "id,count", or with "first,last,count" for ranges)"});
  }

  template <class T>
  T number(std::size_t field) {
    const Number<T> found = to_number<T>(record_[field].text);
    if (!found.value || *found.value < 0)
      problems_.add(
          text_.place(record_[field]),
          fmt::format("\"{}\" {}", printable(record_[field].text), found.value ? "is negative" : found.fact),
          "write a number that is not negative");
    return found.value.value_or(T{});
  }

  template <class T>
  void require_at_most(T most, T given, std::size_t field) {
    if (given > most)
      problems_.add(text_.place(record_[field]),
                    fmt::format("\"{}\" is too large", printable(record_[field].text)),
                    fmt::format("write a number up to {}", most));
  }

  void read_line() {
    const std::size_t columns = has_ranges_ ? 3 : 2;
    if (record_.size() != columns) {
      problems_.add(text_.place(record_.front()),
                    fmt::format("{} fields, and the first line has {}", record_.size(), columns),
                    "give each line as many");
      return;
    }
    Line line{.place = text_.place(record_.front())};
    line.range.first = number<std::int64_t>(0);
    line.range.last = has_ranges_ ? number<std::int64_t>(1) : line.range.first;
    line.range.count = number<double>(columns - 1);
    require_at_most(largest_id, line.range.last, has_ranges_ ? 1 : 0);
    require_at_most(largest_count, line.range.count, columns - 1);
    if (line.range.last < line.range.first)
      problems_.add(line.place, "the range ends before it begins", "write its smaller id first");
    lines_.push_back(line);
  }

  CsvText text_;
  const std::string& file_;
  std::vector<CsvField> record_{};
  bool has_ranges_ = false;
  std::vector<Line> lines_{};
  Problems problems_{};
};

}  // namespace

CountedIds read_counted_ids(const std::string& path, const Place& named_at) {
  const std::string text = read_text(path, named_at);
  return CountsReader(text, path).read();
}

}  // namespace wt::data
