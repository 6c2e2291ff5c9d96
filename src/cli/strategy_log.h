#pragma once

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::cli {

// What TensorFlow logs while a program makes its strategy, as its users know it from their own screens.
std::vector<std::string> strategy_log(const scenario::Scenario& scenario, const cluster::Machine& machine);

}  // namespace wt::cli
