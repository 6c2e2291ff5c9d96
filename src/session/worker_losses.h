#pragma once
// Which workers are lost, and when, in a training whose workers take closures from a queue. A worker's failure does not
// end such a training: other workers execute its closures. Each epoch is a pool of its own (timing/pool.h), so the
// scenario's failures, whose times count from the beginning of the training, are brought to the epoch's own time here,
// and a worker that is away when an epoch ends is away when the next one begins.

#include <vector>

#include "scenario/build.h"
#include "timing/pool.h"

namespace wt::session {

class WorkerLosses {
 public:
  // Requires: the scenario and the job outlive this object.
  WorkerLosses(const scenario::Scenario& scenario, const scenario::Job& job);

  bool is_empty() const { return scripted_.empty() && random_.empty(); }

  // What was to come before this step has come, in an earlier attempt of the job.
  void pass(std::int64_t step) { passed_ = step; }

  // Sets the losses of a pool that begins at this time, when so many closures have been completed, and the ranges of
  // closures in which workers are slow.
  void add_to(timing::PoolOptions& pool, Seconds begin, std::int64_t completed) const;

  // This pool has been played, which began at this time.
  void note_absences(const timing::PoolOptions& pool, const plan::PoolTimeline& timeline, Seconds begin);

 private:
  std::optional<Seconds> time_until_back(const timing::Failure& failure) const;
  timing::WorkerLoss loss_of(const timing::Failure& failure) const;
  std::vector<timing::WorkerLoss> drawn_losses(Seconds begin, Seconds end) const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  std::vector<timing::Failure> scripted_{};  // of workers
  std::int64_t passed_ = 0;
  std::vector<timing::RandomFailures> random_{};
  // Of the pools that have been played, those that reach into the next one, in the time of the training.
  std::vector<plan::Absence> away_{};
};

}  // namespace wt::session
