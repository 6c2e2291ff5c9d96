#include "data/csv_text.h"

#include <algorithm>
#include <memory>

#include "base/utf8.h"

namespace wt::data {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

CsvText::CsvText(const std::string& text, const std::string& file, char delimiter)
    : text_(text), file_(file), delimiter_(delimiter) {
  if (text_.starts_with(byte_order_mark)) next_ = byte_order_mark.size();
}

std::size_t CsvText::most_records() const {
  const auto ends = std::ranges::count_if(text_, [](char c) { return c == '\n' || c == '\r'; });
  return static_cast<std::size_t>(ends) + 1;
}

std::size_t CsvText::after_line_end(std::size_t at) const {
  const bool is_pair = text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n';
  return at + (is_pair ? 2 : 1);
}

void CsvText::skip_blank_lines() {
  while (next_ < text_.size() && is_line_end(next_)) ++next_;
}

bool CsvText::next(std::vector<CsvField>& record) {
  record.clear();
  unescaped_.clear();
  skip_blank_lines();
  if (next_ == text_.size()) return false;
  for (;;) {
    record.push_back(next_ < text_.size() && text_[next_] == '"' ? quoted_field() : field());
    next_ = record.back().end;
    if (next_ == text_.size()) break;
    if (is_line_end(next_)) {
      next_ = after_line_end(next_);
      break;
    }
    ++next_;  // the delimiter
  }
  // Only now do the unescaped fields keep their addresses.
  std::size_t unescaped = 0;
  for (CsvField& field : record)
    if (field.text.data() == nullptr) field.text = unescaped_[unescaped++];
  return true;
}

CsvField CsvText::field() {
  std::size_t end = next_;
  for (; end < text_.size() && text_[end] != delimiter_ && !is_line_end(end); ++end)
    if (text_[end] == '"')
      refuse(end, end + 1, "a quote stands in the middle of a field",
             R"(put the whole field in quotes, and write quotes in it twice: "5"" disk")");
  return {std::string_view(text_).substr(next_, end - next_), next_, end};
}

// The text of a field without inner quotes is a view of the file. Otherwise it is null until the record is
// complete.
CsvField CsvText::quoted_field() {
  std::string plain;
  std::size_t begin = next_ + 1;
  for (;;) {
    const std::size_t quote = text_.find('"', begin);
    if (quote == std::string::npos)
      refuse(next_, next_ + 1, "this quote is not closed", "close the field with another quote");
    if (quote + 1 < text_.size() && text_[quote + 1] == '"') {
      plain.append(text_, begin, quote + 1 - begin);
      begin = quote + 2;
      continue;
    }
    const std::size_t end = quote + 1;
    if (end < text_.size() && text_[end] != delimiter_ && !is_line_end(end))
      refuse(quote, end, "the field goes on after its closing quote",
             R"(write quotes inside of a field twice: "5"" disk")");
    if (plain.empty()) return {std::string_view(text_).substr(begin, quote - begin), next_, end};
    plain.append(text_, begin, quote - begin);
    unescaped_.push_back(std::move(plain));
    return {{}, next_, end};
  }
}

void CsvText::refuse(std::size_t begin, std::size_t end, std::string fact, std::string remedy) const {
  throw InputError(Problem{place({{}, begin, end}), std::move(fact), std::move(remedy)});
}

// Counts the lines before the field, so it is for messages only.
Place CsvText::place(const CsvField& field) const {
  Place place{.file = file_, .line = 1};
  std::size_t begin = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  for (std::size_t at = begin; at < field.begin;) {
    if (!is_line_end(at)) {
      ++at;
      continue;
    }
    at = after_line_end(at);
    begin = at;
    ++place.line;
  }
  const std::size_t end = std::min(text_.find_first_of("\r\n", begin), text_.size());
  const std::string_view all = text_;
  place.column = static_cast<int>(count_characters(all.substr(begin, field.begin - begin))) + 1;
  const std::size_t marked_end = std::min(field.end, std::max(end, field.begin));
  place.length =
      std::max(1, static_cast<int>(count_characters(all.substr(field.begin, marked_end - field.begin))));
  place.source_line = SourceLine(all.substr(begin, end - begin));
  return place;
}

}  // namespace wt::data
