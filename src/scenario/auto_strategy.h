#pragma once
// `"strategy": {"type": "auto"}`: a rule (strategy/automatic.h) names the strategy in place of the user.

#include <optional>

#include "scenario/reading.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Reads the tree of a file as read_scenario does. If it leaves the strategy to a rule, the tree is read with
// the type that the rule chooses for the platform and the devices of the tree, so that options of the chosen
// strategy are read and others refused. Returns the rule, if there is one. Throws InputError if the machine
// to choose for can't be built.
std::optional<StrategyRule> read_with_strategy(const json::Value& tree, Scenario& scenario, Reading& reading);

}  // namespace wt::scenario
