#include "timing/phases.h"

#include <fmt/format.h>

#include <set>

namespace wt::timing {

Phases::Phases(const Faults& faults, std::size_t replicas) {
  std::set<std::int64_t> begins{0};
  for (const Slowed& slowed : faults.slowed) begins.insert(slowed.from_step);
  for (const std::int64_t begin : begins) {
    Phase& phase = phases_.emplace_back();
    phase.from_step = begin;
    for (const Slowed& slowed : faults.slowed) {
      if (slowed.from_step > begin) continue;
      phase.slow.resize(replicas, 1.0);
      for (const std::size_t replica : slowed.replicas) phase.slow[replica] *= slowed.factor;
      phase.what.push_back(fmt::format("{} x {}", slowed.what, slowed.factor));
    }
  }
}

std::size_t Phases::at(std::int64_t step) const {
  std::size_t phase = 0;
  while (phase < last() && phases_[phase + 1].from_step <= step) ++phase;
  return phase;
}

}  // namespace wt::timing
