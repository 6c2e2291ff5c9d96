#pragma once
// What a scenario's faults mean for its replicas and tasks.

#include <optional>
#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::scenario {

// From a step on, replicas take longer for what they compute.
struct Slowed {
  std::string what{};  // as the scenario names it
  std::vector<std::size_t> replicas{};
  double factor = 1;
  std::int64_t from_step = 0;
};

// A worker that doesn't reach a step.
struct Killed {
  int task = 0;        // as replicas count them
  std::string name{};  // "/job:worker/replica:0/task:1"
  std::int64_t step = 0;
};

struct Faults {
  std::vector<Slowed> slowed{};
  std::optional<Killed> killed{};  // the first to be
};

// Throws InputError, with every problem at its key, for names that nothing has, and for faults that the strategy
// can't have. `steps` are the training's.
Faults faults_of(const Scenario& scenario, const Machine& machine, std::int64_t steps);

}  // namespace wt::scenario
