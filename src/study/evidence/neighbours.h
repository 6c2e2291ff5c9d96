#pragma once
// Decides whether a run that deviates from its reference does so only because of rounding.
//
// A training step is not continuous everywhere. A max-pooling window passes its gradient to its largest
// element, and if two elements are equal except for rounding, rounding selects one of them. A ReLU has the
// same discontinuity at 0. Adding gradients in another order can therefore change weights by far more than
// rounding, and still be correct: one device deviates as much when its first weights change by an ulp (one
// unit in the last place of a float).
//
// So a deviating run is accepted if it agrees, within the usual tolerance, with a neighbour: a run of the
// reference from first weights that differ by at most an ulp. This does not weaken the test. A strategy that
// leaves out rows or counts them twice agrees with no neighbour either.

#include <deque>
#include <functional>
#include <optional>

#include "study/evidence/oracle.h"

namespace wt::evidence {

// The reference of a comparison, with a function that repeats it from other first weights.
struct Standard {
  std::map<std::string, Tensor> first_weights{};
  std::vector<double> losses{};
  std::map<std::string, Tensor> weights{};  // after the last step
  std::function<session::Rehearsal(const std::map<std::string, Tensor>& first)> again{};
};

// The standard whose reference is an oracle, repeated on one device. Requires: the oracle has first weights,
// and oracle and queues outlive the standard.
Standard standard_of(const Oracle& oracle, const execute::Queues& queues);

// Runs of the standard whose first weights are each, at random, an ulp larger, an ulp smaller or the same. A
// neighbour is computed when it is first needed.
class Neighbours {
 public:
  static constexpr std::size_t most = 64;  // neighbours that are tried

  explicit Neighbours(Standard standard) : standard_(std::move(standard)) {}

  struct Followed {
    std::size_t number = 0;
    Deviation from{};       // of the run from this neighbour
    Deviation neighbour{};  // of this neighbour from the standard
  };
  // The first neighbour that the run agrees with within the tolerance. Unset if there is none.
  std::optional<Followed> followed_by(const session::Rehearsal& run);

 private:
  const session::Rehearsal& neighbour(std::size_t number);

  Standard standard_;
  std::deque<session::Rehearsal> known_{};
};

}  // namespace wt::evidence
