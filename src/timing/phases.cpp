#include "timing/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace wt::timing {

namespace {

bool contains(const StepRange& range, std::int64_t step) {
  return range.from <= step && step < range.until.value_or(step + 1);
}

}  // namespace

Phases::Phases(const Faults& faults, std::size_t replicas) {
  std::set<std::int64_t> begins{0};
  const auto add = [&](const StepRange& range) {
    begins.insert(range.from);
    if (range.until) begins.insert(*range.until);
  };
  for (const Slowed& slowed : faults.slowed) add(slowed.steps);
  for (const Degraded& degraded : faults.degraded) add(degraded.steps);
  for (const std::int64_t begin : begins) {
    Phase& phase = phases_.emplace_back();
    phase.from_step = begin;
    for (const Slowed& slowed : faults.slowed) {
      if (!contains(slowed.steps, begin)) continue;
      phase.slow.resize(replicas, 1.0);
      for (const std::size_t replica : slowed.replicas) phase.slow[replica] *= slowed.factor;
      phase.what.push_back(fmt::format("{} x {}", slowed.what, slowed.factor));
    }
    for (const Degraded& degraded : faults.degraded) {
      if (!contains(degraded.steps, begin)) continue;
      for (const platform::LinkId link : degraded.links)
        phase.degraded.try_emplace(link, 1).first->second *= degraded.factor;
      phase.what.push_back(fmt::format("{} x {}", degraded.what, degraded.factor));
    }
  }
}

std::size_t Phases::at(std::int64_t step) const {
  std::size_t phase = 0;
  while (phase < last() && phases_[phase + 1].from_step <= step) ++phase;
  return phase;
}

}  // namespace wt::timing
