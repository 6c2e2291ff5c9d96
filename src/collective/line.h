#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt::collective {

// The words of one line of a text form, taken from the front. The first trouble of a line is told, and then
// no other.
class Line {
 public:
  Line(std::string_view text, int number, const std::string& file, Problems& problems)
      : text_(text), number_(number), file_(file), problems_(problems) {}

  bool at_end();
  bool is_next(std::string_view wanted);
  bool take(std::string_view wanted);  // if it is next
  std::string_view word();
  void want(std::string_view wanted);
  std::int64_t number(std::int64_t least, std::int64_t most);
  std::int64_t number_in(std::string_view digits, std::int64_t least,
                         std::int64_t most);  // of the word taken last
  void want_end();

  void fail(std::string fact, std::string remedy = {});  // points at the word taken last
  bool broken() const { return broken_; }

 private:
  std::string_view text_;
  int number_;
  const std::string& file_;
  Problems& problems_;
  std::size_t position_ = 0, begin_ = 0;
  bool broken_ = false;
};

}  // namespace wt::collective
