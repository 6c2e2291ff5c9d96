#pragma once
// Every synchronous strategy with every way of reducing, on devices that nobody describes: enough for
// numbers, which don't depend on where devices are.

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

// Those that there are for so many replicas. TPUs have slices of 4, 8, 16 and more cores; algorithms say
// which numbers of ranks they are for.
std::vector<StrategyWay> strategy_ways(int replicas);

}  // namespace wt::evidence
