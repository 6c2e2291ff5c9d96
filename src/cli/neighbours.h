#pragma once
// A step of training is not continuous everywhere: the gradient of a pooling window goes to its largest number, and
// of two that are equal but for rounding, rounding says which; so it is with a ReLU at 0. A sum in another order can
// therefore lead to other weights, by far more than rounding, and be right: one device does the same when its
// first weights are moved by an ulp.
//
// So a run that leaves the reference is right if it is, within what is allowed of the reference, a run of one
// device from weights that are an ulp beside. Nothing is allowed that wasn't: a strategy that leaves out rows or
// counts them twice is near none of these runs either.

#include <deque>
#include <optional>

#include "cli/oracle.h"

namespace wt {

// One device's runs from first weights that are, each by chance, an ulp more, an ulp less or the same. Made when
// they are asked for.
class Neighbours {
 public:
  static constexpr std::size_t most = 64;

  // Requires: the first weights are given, and oracle and queue outlive the neighbours.
  Neighbours(const Oracle& oracle, device::Queue& queue) : oracle_(oracle), queue_(queue) {}

  struct Followed {
    std::size_t number = 0;
    Deviation from{};       // of the run, from this neighbour
    Deviation neighbour{};  // of the neighbour, from the reference
  };
  // The first that the run follows within what is allowed.
  std::optional<Followed> followed_by(const Rehearsal& run);

 private:
  const Rehearsal& neighbour(std::size_t number);

  const Oracle& oracle_;
  device::Queue& queue_;
  std::deque<Rehearsal> known_{};
};

}  // namespace wt
