#pragma once
// Scenarios with failures, drawn from a seed: a cluster, a strategy, a small training, how it is saved, and what fails.
// Each draws everything that the simulator has to survive, in sizes that take milliseconds. The job's times are given
// ("step": "1 s"), so that failures fall into steps, checkpoints and restarts about equally often.

#include <cstdint>
#include <string>

namespace wt::disturbed {

struct DrawnScenario {
  std::string text{};      // JSON
  std::string strategy{};  // its name
};

DrawnScenario draw_scenario(std::int64_t seed);

}  // namespace wt::disturbed
