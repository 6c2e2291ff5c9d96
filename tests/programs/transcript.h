// What a small program prints, line by line as Python's print would, and whether that is what it should.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace wt {

class Transcript {
 public:
  // Values are joined by a space, as `print(a, b)` joins them.
  template <class... Values>
  void print(const Values&... values) {
    std::string line;
    ((line += fmt::format("{}{}", line.empty() ? "" : " ", values)), ...);
    text_ += line + "\n";
  }

  // Shows the text; 0 when it is what was expected, 1 otherwise.
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
