#pragma once
// Steps of a training one after the other, where one alone doesn't tell: rows that a pipeline has to bring, devices
// that are slow, or not always equally fast.

#include <optional>
#include <vector>

#include "plan/repeat.h"
#include "plan/timeline.h"
#include "scenario/machine.h"

namespace wt {

struct StepsOptions {
  std::optional<int>
      count{};        // absent: with jitter 100, or fewer of a very large plan; else until they repeat
  double jitter = 0;  // of what a device computes in a step: standard deviation over mean, lognormal
  std::int64_t seed = 0;
  std::vector<double> slow{};   // by replica of the machine; empty: none is slow
  std::vector<Seconds> rows{};  // by task: what its host needs for a step's rows; empty: nothing
  int prefetch = 0;

  bool one_is_enough() const { return !count && jitter == 0 && slow.empty() && rows.empty(); }
};

struct SeveralSteps {
  plan::Repeated repeated{};
  plan::Timeline timeline{};             // of all of them
  std::vector<Seconds> times{};          // by step
  std::optional<plan::Steady> steady{};  // none: they don't repeat, as with jitter
  std::size_t from = 0;                  // what is told is the mean of the steps from here on
  bool is_unfolded = false;  // replicas that stood for others are all there; collectives stay whole
  plan::Timeline last{};     // of the step's own plan, beginning at 0: how the last one went

  Seconds begin() const;  // of the steps that are told of
  Seconds step() const;   // their mean
};

// A step whose costs are known. Replicas that stand for others are unfolded where these aren't alike.
SeveralSteps play_steps(const plan::Plan& plan, const plan::Costs& costs, const scenario::Machine& machine,
                        Seconds synchronization, const StepsOptions& options);

// Lognormal factors of mean 1, by step and replica.
std::vector<double> jitter_factors(double jitter, std::int64_t seed, std::size_t count);

}  // namespace wt
