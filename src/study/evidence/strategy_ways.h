#pragma once
// Every synchronous strategy with every algorithm that it can reduce gradients with, on devices without a
// platform. That is enough to compute numbers, which don't depend on the machine's topology.

#include <string>
#include <vector>

#include "data/distribute.h"
#include "train/function.h"

namespace wt::evidence {

struct StrategyWay {
  std::string strategy{};
  std::string reduction{};
  train::Lowering lower{};
  data::Distribution input{};
};

// The ways that exist for this number of replicas. TPU slices are listed for 4, 8 and 16 replicas, and a
// collective algorithm for the numbers of ranks that it allows (collective/catalog.h). One replica also has
// the strategy one_device.
std::vector<StrategyWay> strategy_ways(int replicas);

}  // namespace wt::evidence
