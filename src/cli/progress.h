#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "train/model.h"

namespace wt::cli {

// Shows the progress of a training: in one line that is overwritten if the messages go to a terminal, and
// otherwise in few lines, of which a training of some seconds has none.
// Wall-clock times are printed to messages only and never become part of results, which must be reproducible.
class Progress {
 public:
  Progress(std::ostream& messages, std::int64_t steps);

  void show(const train::StepResult& step);
  void finish();  // erases the line and prints the total wall time

 private:
  double seconds() const;

  std::ostream& messages_;
  std::int64_t steps_ = 0;            // of the whole training
  std::ostream* terminal_ = nullptr;  // where the line is shown; null if messages go elsewhere
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double shown_ = -1;
  double next_line_ = 10;  // seconds until a log gets a line; the next ones come after twice the time
  std::int64_t done_ = 0;

  // Wall times of consecutive steps within an epoch, which include neither tracing nor evaluations.
  double last_ = 0;
  std::int64_t last_epoch_ = -1;
  std::vector<double> seconds_per_row_{};
};

}  // namespace wt::cli
