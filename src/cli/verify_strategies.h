#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyStrategiesOptions {
  std::string file{};  // a scenario
  std::vector<std::string> overrides{};
  std::int64_t steps = 5;
  std::string oracles{};                            // or a folder of reference runs: tests/oracle
  std::vector<int> replicas{1, 2, 3, 4, 5, 8, 16};  // of these
  std::string only{};                               // ways with this word in their name
};

// How far the scenario's replicas are from one device with the same global batches, tensor by tensor, and
// why; or how far every synchronous strategy is from runs of a reference, in every way of reducing.
Exit verify_strategies(const VerifyStrategiesOptions& options, const Streams& streams);

}  // namespace wt::cli
