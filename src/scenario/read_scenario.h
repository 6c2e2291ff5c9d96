#pragma once

#include "scenario/reading.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// A file's objects become a scenario: every key of keys.h where it stands, and nothing that isn't there. What
// is wrong goes to the reading, as do the places of all keys.
void read_scenario(const json::Value& tree, Scenario& scenario, Reading& reading);

}  // namespace wt::scenario
