#pragma once
// What the time of a step takes for granted, and where that comes from: the precision, the times of kernels, the
// links, the input, jitter, and the versions.

#include <string>
#include <vector>

#include "cluster/machine.h"
#include "scenario/scenario.h"
#include "timing/simulated.h"

namespace wt::study {

struct Assumed {
  std::string name{};
  std::string value{};
  std::string source{};
  std::string note{};  // how it can be changed; empty: there is nothing to say
};

// Requires: the step was simulated on this machine.
std::vector<Assumed> assumed(const scenario::Scenario& scenario, const cluster::Machine& machine,
                             const timing::Simulated& simulated);

}  // namespace wt::study
