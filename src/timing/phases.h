#pragma once
// A training whose devices slow down, cut into stretches of steps in which the same ones are slow.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "timing/faults.h"

namespace wt::timing {

struct Phase {
  std::int64_t from_step = 0;  // to the next one's
  std::vector<double> slow{};  // by replica, how many times as long it computes; empty: none is slow
  std::vector<std::string> what{};
};

// In the order of their steps; the first begins with step 0, so there always is one.
class Phases {
 public:
  Phases(const Faults& faults, std::size_t replicas);

  std::size_t size() const { return phases_.size(); }
  const Phase& operator[](std::size_t phase) const { return phases_[phase]; }
  std::size_t last() const { return phases_.size() - 1; }
  std::size_t at(std::int64_t step) const;

 private:
  std::vector<Phase> phases_{};
};

}  // namespace wt::timing
