#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include "base/rough.h"
#include "cli/plain_text.h"

namespace wt::cli {

// How many of many things are done: a line that is overwritten on a terminal, and otherwise a line from time to time.
class CountedProgress {
 public:
  // `noun` is what is counted: "point".
  CountedProgress(std::ostream& messages, std::string noun)
      : messages_(messages), terminal_(terminal_below(messages)), noun_(std::move(noun)) {}
  ~CountedProgress() {
    if (terminal_ != nullptr) *terminal_ << "\r\033[K" << std::flush;
  }
  CountedProgress(const CountedProgress&) = delete;
  CountedProgress& operator=(const CountedProgress&) = delete;

  void show(std::int64_t done, std::int64_t all) {
    if (first_ < 0) first_ = done;
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (done == first_ || done == all || now < next_) return;
    next_ = terminal_ != nullptr ? now + 0.2 : std::max(2 * now, 2.0);
    const double left = now / static_cast<double>(done - first_) * static_cast<double>(all - done);
    const std::string text =
        fmt::format("{} of {}, about {} left", done, counted(all, noun_), rough(Seconds(left)));
    if (terminal_ != nullptr)
      *terminal_ << "\r" << text << "\033[K" << std::flush;
    else
      messages_ << text << "\n" << std::flush;
  }

 private:
  std::ostream& messages_;
  std::ostream* terminal_ = nullptr;
  std::string noun_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t first_ = -1;  // done at the first call; earlier processes have done nearly all of these
  double next_ = 2;          // seconds until the next line
};

}  // namespace wt::cli
