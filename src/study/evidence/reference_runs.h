#pragma once
// Each way to train, run for every reference training, and whether it comes out as the reference did.

#include <vector>

#include "session/host_queues.h"
#include "study/evidence/neighbours.h"
#include "study/evidence/strategy_ways.h"

namespace wt::evidence {

// A deviation that rounding accounts for: the run agrees with a neighbour of the reference.
struct Tie {
  std::string oracle{};
  Deviation from_reference{};
  Neighbours::Followed followed{};
};

// What became of one way over all reference trainings.
struct WayChecked {
  Deviation worst{};  // of any reference training
  bool is_right = true;
  std::vector<Tie> ties{};
};

class ReferenceRuns {
 public:
  // They are computed where the first one's scenario says: on the CPU, or on the first GPU, and in pieces of its
  // memory. Throws InputError as HostQueues does. Requires: there is at least one.
  explicit ReferenceRuns(std::vector<Oracle> oracles);

  const std::vector<Oracle>& oracles() const { return oracles_; }
  WayChecked check(const StrategyWay& way);

 private:
  Deviation check(const StrategyWay& way, std::size_t oracle, WayChecked& result);

  std::vector<Oracle> oracles_;
  device::Workers workers_{device::hardware_threads()};
  session::HostQueues queues_;
  std::vector<Neighbours> neighbours_{};  // by oracle
};

}  // namespace wt::evidence
