#pragma once
// A step of training is not continuous everywhere: the gradient of a pooling window goes to its largest number, and
// of two that are equal but for rounding, rounding says which; so it is with a ReLU at 0. A sum in another order can
// therefore lead to other weights, by far more than rounding, and be right: one device does the same when its
// first weights are moved by an ulp.
//
// So a run that leaves what it is compared with is right if it is, within what is allowed of that, the same run from
// weights that are an ulp beside: one device's, or that of replicas whose gradients are added in the plainest way. Nothing is allowed that wasn't: a strategy that leaves out rows or
// counts them twice is near none of these runs either.

#include <deque>
#include <functional>
#include <optional>

#include "study/evidence/oracle.h"

namespace wt::evidence {

// What runs are compared with, and how to have it once more from other first weights.
struct Standard {
  std::map<std::string, Tensor> first_weights{};
  std::vector<double> losses{};
  std::map<std::string, Tensor> weights{};  // at the end
  std::function<session::Rehearsal(const std::map<std::string, Tensor>& first)> again{};
};

// A reference, which one device can have again. Requires: its first weights are given; oracle and queue outlive it.
Standard standard_of(const Oracle& oracle, device::Queue& queue);

// The standard's runs from first weights that are, each by chance, an ulp more, an ulp less or the same. Made when
// they are asked for.
class Neighbours {
 public:
  static constexpr std::size_t most = 64;

  explicit Neighbours(Standard standard) : standard_(std::move(standard)) {}

  struct Followed {
    std::size_t number = 0;
    Deviation from{};       // of the run, from this neighbour
    Deviation neighbour{};  // of the neighbour, from the standard
  };
  // The first that the run follows within what is allowed.
  std::optional<Followed> followed_by(const session::Rehearsal& run);

 private:
  const session::Rehearsal& neighbour(std::size_t number);

  Standard standard_;
  std::deque<session::Rehearsal> known_{};
};

}  // namespace wt::evidence
