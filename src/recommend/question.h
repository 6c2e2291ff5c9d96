#pragma once
// What a planner asks.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace wt::recommend {

struct Target {
  // Exactly one of the three is set.
  std::optional<double> samples_per_second{};
  std::optional<Seconds> epoch{};
  bool fit = false;  // the smallest machine into whose memory the step fits
};

struct Question {
  std::string file{};                    // the scenario
  std::vector<std::string> overrides{};  // of its keys
  Target target{};
  std::vector<std::string> platforms{};  // names or files; empty: all of `list platforms`
  // Rows of all replicas in a step. Unset: the scenario's global batch.
  std::optional<std::int64_t> most_global_batch{};
  bool any_global_batch = false;    // The user accepts every global batch.
  std::int64_t most_devices = 256;  // of a machine that is considered
  double quantile = 0.1;            // of the errors at each end of the interval
  std::string measured{};           // a file of the user's own rows; empty: none
  int processes = 1;
};

}  // namespace wt::recommend
