#pragma once

#include "scenario/reading.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Reads the objects of a file into a scenario, by the lists of keys in keys.h. Members whose keys are absent
// keep their defaults. Problems and the places of all keys go to `reading`.
void read_scenario(const json::Value& tree, Scenario& scenario, Reading& reading);

// Reads one element of "callbacks" alone.
train::Callback read_callback(const json::Value& tree, Reading& reading);

}  // namespace wt::scenario
