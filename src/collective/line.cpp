#include "collective/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/narrow.h"

namespace wt::collective {

bool Line::at_end() {
  position_ = std::min(text_.find_first_not_of(" \t", position_), text_.size());
  return position_ == text_.size();
}

std::string_view Line::word() {
  at_end();
  begin_ = position_;
  position_ = std::min(text_.find_first_of(" \t", position_), text_.size());
  return text_.substr(begin_, position_ - begin_);
}

bool Line::is_next(std::string_view wanted) {
  const std::size_t before = position_;
  const bool is = word() == wanted;
  position_ = before;
  return is;
}

bool Line::take(std::string_view wanted) { return is_next(wanted) && word() == wanted; }

void Line::want(std::string_view wanted) {
  if (!broken_ && word() != wanted) fail(fmt::format("\"{}\" is expected here", wanted));
}

std::int64_t Line::number(std::int64_t least, std::int64_t most) {
  return broken_ ? least : number_in(word(), least, most);
}

std::int64_t Line::number_in(std::string_view digits, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (is_number && least <= value && value <= most) return value;
  fail(least == most ? fmt::format("the number {} is expected here", least)
                     : fmt::format("a number from {} to {} is expected here", least, most));
  return least;
}

void Line::want_end() {
  if (broken_ || at_end()) return;
  word();
  fail("nothing more is expected here");
}

void Line::fail(std::string fact, std::string remedy) {
  if (broken_) return;
  broken_ = true;
  const int length = std::max(1, narrow<int>(position_ - begin_));
  problems_.add({file_, number_, narrow<int>(begin_) + 1, std::string(text_), length}, std::move(fact),
                std::move(remedy));
}

}  // namespace wt::collective
