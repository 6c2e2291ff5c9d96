#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "train/model.h"

namespace wt::cli {

// A clock for people who wait: seconds since an arbitrary moment.
using WallClock = std::function<double()>;
double wall_clock();

// Shows the progress of a training: in one line that is overwritten if the messages go to a terminal, and
// otherwise in few lines, of which a training of some seconds has none. If the steps are going to take more
// than ten seconds, it says so once, as soon as a second of computing allows an estimate.
// Wall-clock times are printed to messages only and never become part of results, which must be reproducible.
class Progress {
 public:
  // Steps that predict have no loss to show.
  Progress(std::ostream& messages, std::int64_t steps, WallClock clock = wall_clock, bool has_losses = true);

  void begin_steps();  // what was done before, such as a simulation, is no part of a step's time
  void show(const train::StepResult& step);
  void show_evaluation(std::int64_t done, std::int64_t all);  // steps of one evaluation
  void finish();  // erases the line and prints the total wall time

 private:
  double seconds() const { return clock_() - start_; }
  double seconds_per_step(double now) const;
  void estimate(std::int64_t left, double now);
  void print(const std::string& text);

  std::ostream& messages_;
  std::int64_t steps_ = 0;            // of the whole training
  std::ostream* terminal_ = nullptr;  // where the line is shown; null if messages go elsewhere
  WallClock clock_;
  double start_;
  bool has_losses_;
  double begin_ = 0;       // of the first step; times here and below are seconds since start_
  double first_done_ = 0;  // the end of the first step
  double shown_ = -1;
  double next_line_ = 10;  // until a log gets a line; the next ones come after twice the time
  bool is_estimated_ = false;
  std::int64_t done_ = 0;

  double evaluation_ = 0;               // the end of its first step
  double next_line_of_evaluation_ = 0;  // counted from there, and doubled as for steps

  // Wall times of consecutive steps within an epoch, which include neither tracing nor evaluations.
  double last_ = 0;
  std::int64_t last_epoch_ = -1;
  std::vector<double> seconds_per_row_{};
};

}  // namespace wt::cli
