#pragma once
// Scripted faults of the simulated world, with the replicas and tasks that they hit.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wt::timing {

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

}  // namespace wt::timing
