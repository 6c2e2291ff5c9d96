#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt::collective {

// Reads the words of one line of a text form from left to right. Only the first mistake of a line is
// reported; after it the remaining calls have no effect on the list of problems.
class Line {
 public:
  Line(std::string_view text, int number, const std::string& file, Problems& problems)
      : text_(text), number_(number), file_(file), problems_(problems) {}

  bool at_end();
  bool is_next(std::string_view wanted);
  bool take(std::string_view wanted);  // Takes the next word if it is this one, and returns whether it was.
  std::string_view word();
  void want(std::string_view wanted);                          // Takes the next word, which must be this one.
  std::int64_t number(std::int64_t least, std::int64_t most);  // Takes a number; after a mistake, `least`.
  // The number in a part of the word that was taken last.
  std::int64_t number_in(std::string_view digits, std::int64_t least, std::int64_t most);
  void want_end();

  // Reports a mistake at the word that was taken last.
  void fail(std::string fact, std::string remedy = {});
  bool broken() const { return broken_; }

 private:
  std::string_view text_;
  int number_;
  const std::string& file_;
  Problems& problems_;
  std::size_t position_ = 0, begin_ = 0;  // begin of the word that was taken last
  bool broken_ = false;
};

}  // namespace wt::collective
