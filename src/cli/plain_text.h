#pragma once
// What the program prints contains text of others: names of scenarios, layers and platforms, paths, XML,
// schedules. Such text may hold control characters, with which it could move a terminal's cursor, change what
// was printed before, or type an answer for the user. Both streams of the program therefore pass through this
// one place, where every character of a line that is not printable becomes "?" (base/utf8.h).

#include <ostream>
#include <streambuf>
#include <string>

namespace wt::cli {

// Passes lines on to another stream. Line breaks and tabs stay.
class PlainText : public std::streambuf {
 public:
  // Requires: the stream outlives this object.
  explicit PlainText(std::ostream& to) : to_(to) {}
  PlainText(const PlainText&) = delete;
  PlainText& operator=(const PlainText&) = delete;
  ~PlainText() override;

  std::ostream& to() { return to_; }

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;  // passes an unfinished line on

 private:
  void pass_line();

  std::ostream& to_;
  std::string line_{};
};

// The standard error stream below the messages of a command if it is a terminal, where the program may rewrite
// a line of its own; otherwise null.
std::ostream* terminal_below(std::ostream& messages);

}  // namespace wt::cli
