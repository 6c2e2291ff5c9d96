#pragma once
// The time of a scenario's whole training: what occurs in it, how often, and how long each of it takes
// (timing/job_time.h adds it up). Nothing is computed for it but shapes.

#include "session/saving.h"
#include "session/training_clock.h"
#include "timing/job_time.h"

namespace wt::session {

class JobClock {
 public:
  // Requires: all outlive this object, the scenario has a platform, and the step fits into its devices.
  JobClock(const scenario::Scenario& scenario, const scenario::Job& job, TrainingClock& clock);

  // The training from its beginning, even if the scenario restores a checkpoint, and as if no scripted fault
  // ended it.
  timing::JobTime time();

 private:
  std::int64_t partial_steps(std::int64_t begin, std::int64_t end) const;
  void add_steps(timing::JobFacts& facts);
  void add_drained_steps(timing::JobFacts& facts);
  timing::Event lost_workers();
  timing::Event first_values();
  timing::Event fills() const;
  timing::Event first_input();
  timing::Event evaluations();
  void add_checkpoints(timing::JobFacts& facts);
  Seconds lost_beside(const Saving& saving, std::int64_t checkpoints);
  timing::Event functions();
  std::int64_t programs() const;

  // ---- The shuffle buffer
  bool has_buffer() const { return scenario_.dataset.shuffle.has_value(); }
  double rows_of_host() const;  // that a host reads in a pass
  double buffered() const;      // the share of a pass that lies in the buffer when it is full
  double passes() const;        // of all rows that are trained

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingClock& clock_;
  const std::int64_t steps_;
  const std::int64_t epochs_;
  const bool starts_anew_;
  const std::int64_t partial_rows_;  // 0: all batches are whole
};

}  // namespace wt::session
