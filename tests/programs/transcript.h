// Collects what a small program prints, in the form of Python's print, and compares it with the expected
// text.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace wt {

class Transcript {
 public:
  // Joins the values with a space, as Python's print(a, b) does.
  template <class... Values>
  void print(const Values&... values) {
    std::string line;
    ((line += fmt::format("{}{}", line.empty() ? "" : " ", values)), ...);
    text_ += line + "\n";
  }

  // Prints the text. Returns 0 if it is the expected text and 1 otherwise.
  int finish(std::string_view expected) const {
    fmt::print("{}", text_);
    if (text_ == expected) return 0;
    fmt::print(stderr, "expected:\n{}", expected);
    return 1;
  }

 private:
  std::string text_{};
};

}  // namespace wt
