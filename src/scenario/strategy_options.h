#pragma once
// Which options belong to which strategy, by scenario/keys.h.

#include <string_view>
#include <vector>

#include "scenario/strategy.h"

namespace wt::scenario {

// The strategy of that type, its options as they are where the file says nothing.
Strategy default_options(StrategyType type);

std::vector<std::string_view> options_of(StrategyType type);
std::vector<std::string_view> strategies_with(std::string_view option);

}  // namespace wt::scenario
