#pragma once

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt {

// What TensorFlow logs while a program makes its strategy, as its users know it from their own screens.
std::vector<std::string> strategy_log(const scenario::Scenario& scenario, const scenario::Machine& machine);

}  // namespace wt
