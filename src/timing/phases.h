#pragma once
// Divides a training into phases: ranges of steps in which the same devices and links are slow. Each phase is simulated
// once.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "timing/faults.h"

namespace wt::timing {

// A range of steps that ends where the next phase begins.
struct Phase {
  std::int64_t from_step = 0;  // the first step
  std::vector<double> slow{};  // by replica, the factor on its compute time; empty: none is slow
  std::map<platform::LinkId, double> degraded{};  // the factor on the time of a link's bytes; absent: 1
  std::vector<std::string> what{};                // names of what is slow, for people

  bool is_as_described() const { return what.empty(); }
};

// The phases in the order of their steps. There is always at least one, since the first begins at step 0.
class Phases {
 public:
  Phases(const Faults& faults, std::size_t replicas);

  std::size_t size() const { return phases_.size(); }
  const Phase& operator[](std::size_t phase) const { return phases_[phase]; }
  std::size_t last() const { return phases_.size() - 1; }
  std::size_t at(std::int64_t step) const;  // index of the phase that contains the step

 private:
  std::vector<Phase> phases_{};
};

}  // namespace wt::timing
