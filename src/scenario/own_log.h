#pragma once
// What TensorFlow logs in the program that a scenario describes.

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::scenario {

// The strategy's log. But where a coordinator feeds the workers, only its own program makes a strategy: every
// other task of the cluster, as the "task" of TF_CONFIG names it, starts a server and waits for the
// coordinator, and logs that.
std::vector<std::string> own_log(const Scenario& scenario, const cluster::Machine& machine);

}  // namespace wt::scenario
