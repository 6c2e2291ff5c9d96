#pragma once
// Simulates work that repeats, from the plan of one round: the pieces of a pipeline, or the rounds of a ring.
// The work has stages, and each stage has rounds of equal activities: of a ring all-reduce, the n - 1 rounds
// that reduce are one stage, and the n - 1 rounds that gather are another. An activity waits for others of its
// round, as in every job, and for activities of the round before. In a ring of 4,096 GPUs on 512 equal
// machines, 8 activities of each round are simulated (simulate/classes.h) instead of 4,096.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/costs.h"
#include "plan/timeline.h"
#include "platform/platform.h"
#include "simulate/symmetry.h"
#include "simulate/translate.h"

namespace wt::simulate {

// The job of so many rounds of each stage. Requires: a stage has at least one round.
Job unrolled(const Job& job, const Repetition& repetition, std::span<const int> rounds);

class Rounds {
 public:
  // The plan has the nodes of one round of each stage, stage after stage. Requires: the platform outlives this.
  Rounds(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
         std::span<const platform::Endpoint> where, Repetition repetition);

  // The spans of the nodes are those of the last round of their stage.
  plan::Timeline time(std::span<const int> rounds) const;

  // The number of activities that are simulated for these rounds.
  std::int64_t activities(std::span<const int> rounds) const;
  std::int32_t represented(std::size_t node) const;  // the simulated activity of a node

 private:
  const Job& job() const { return symmetry_ ? symmetry_->job : translation_.job; }

  const platform::Platform& platform_;
  Translation translation_;
  std::optional<Symmetry> symmetry_;
  Repetition repetition_;  // of the reduced job, if there is one
};

}  // namespace wt::simulate
