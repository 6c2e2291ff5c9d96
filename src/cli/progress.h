#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "train/model.h"

namespace wt::cli {

// One line that is written over again and again, on a terminal; elsewhere nothing. Wall time is for people:
// it goes to messages and never into results.
class Progress {
 public:
  Progress(std::ostream& messages, std::int64_t steps);

  void show(const train::StepResult& step);
  void finish();  // takes the line away, says how long everything took

 private:
  double seconds() const;

  std::ostream& messages_;
  std::int64_t steps_ = 0;  // of the whole run
  bool is_terminal_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double shown_ = -1;
  std::int64_t done_ = 0;

  // Rates of steps that follow one another directly: tracing and evaluations are not in them.
  double last_ = 0;
  std::int64_t last_epoch_ = -1;
  std::vector<double> seconds_per_row_{};
};

}  // namespace wt::cli
