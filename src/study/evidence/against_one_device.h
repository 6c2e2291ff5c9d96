#pragma once
// A scenario's training compared with the same training on one device, and each difference attributed to its
// cause.
//
// The scenario runs four times: with its strategy; with the strategy's known bug of TensorFlow corrected; with
// all gradients added on the first replica, in order; and on one device. The first two differ by the bug, the
// next two by rounding, and the last two by what TensorFlow defines differently for several replicas, such as
// batch statistics of each replica.

#include "study/evidence/neighbours.h"

namespace wt::evidence {

// Relative differences of one weight after the last step.
struct TensorDifferences {
  std::string tensor{};
  double definition = 0;
  double bug = 0;
  double rounding = 0;
};

struct AgainstOneDevice {
  std::vector<TensorDifferences> tensors{};
  double loss = 0;  // relative difference in the worst step
  std::int64_t steps = 0;
  std::vector<std::string> definitions{};  // why several replicas compute something else than one on purpose
  std::string bug{};                       // of TensorFlow, if it changed any weight
  // Set if rounding exceeds the tolerance, and a neighbour accounts for it.
  std::optional<Neighbours::Followed> followed{};

  bool is_rounding() const;
  bool is_right() const { return is_rounding() || followed.has_value(); }
};

// Trains `steps` steps. Requires: the scenario has numerics.
AgainstOneDevice against_one_device(const scenario::Scenario& scenario, const scenario::Job& job,
                                    std::int64_t steps);

}  // namespace wt::evidence
