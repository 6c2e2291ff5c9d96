#pragma once
// The faults that a scenario scripts, with the replicas and tasks that they affect.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wt::timing {

// Replicas whose kernels take `factor` times as long, from a step on.
struct Slowed {
  std::string what{};  // the device, as the scenario names it
  std::vector<std::size_t> replicas{};
  double factor = 1;
  std::int64_t from_step = 0;
};

// A worker that stops before a step.
struct Killed {
  int task = 0;           // the number in cluster::Replica::task
  std::string name{};     // "/job:worker/replica:0/task:1"
  std::int64_t step = 0;  // the first step that it does not reach
};

struct Faults {
  std::vector<Slowed> slowed{};
  std::optional<Killed> killed{};  // the one with the earliest step
};

}  // namespace wt::timing
