#pragma once
// Simulates several consecutive steps. That is necessary where a single step is not representative: where an
// input pipeline has to deliver rows, where devices are slow, or where their speed varies.

#include <optional>
#include <vector>

#include "cluster/machine.h"
#include "plan/repeat.h"
#include "plan/timeline.h"

namespace wt::timing {

struct StepsOptions {
  // Number of steps. Absent: with jitter 100 steps, or fewer for a very large plan; else as many as it takes
  // until the step times repeat.
  std::optional<int> count{};
  Place count_at{};   // of the number in the user's file, for messages
  double jitter = 0;  // of the compute time of a device in a step: standard deviation over mean, lognormal
  std::int64_t seed = 0;
  std::vector<double> slow{};   // by replica, the factor on its compute time; empty: none is slow
  std::vector<Seconds> rows{};  // by task, the time of its host for the rows of a step; empty: no time
  int prefetch = 0;             // batches that are prepared ahead

  bool one_is_enough() const { return !count && jitter == 0 && slow.empty() && rows.empty(); }
};

// The simulated steps.
struct SeveralSteps {
  plan::Repeated repeated{};
  plan::Timeline timeline{};             // of all steps
  std::vector<Seconds> times{};          // by step
  std::optional<plan::Steady> steady{};  // absent: the steps do not repeat, as with jitter
  std::size_t from = 0;                  // the reported step is the mean of the steps from this one on
  // True: the plan contains all replicas instead of one task that stands for all. Collectives remain single
  // nodes.
  bool is_unfolded = false;
  // Of the last step, by node of the plan of one step, from the end of the step before it. What begins earlier, as
  // copies of rows do, is cut off there.
  plan::Timeline last{};
  std::vector<Seconds> rows_arrive{};  // in the last step, by device of that plan; empty: no pipelines

  // By step, from the last work of the first process to the end of what its framework's software does then.
  std::vector<plan::Span> software{};

  Seconds begin() const;  // of the reported steps
  Seconds step() const;   // mean of the reported steps
};

// Simulates steps of this plan with these costs. Where replicas differ, for example because one of them is
// slow, a task that stands for several is replaced by all of them.
SeveralSteps play_steps(const plan::Plan& plan, const plan::Costs& costs, const cluster::Machine& machine,
                        const plan::StepEnd& end, plan::RowCopies copies, const StepsOptions& options);

// Lognormal factors with mean 1, one for each pair of step and replica.
std::vector<double> jitter_factors(double jitter, std::int64_t seed, std::size_t count);

}  // namespace wt::timing
