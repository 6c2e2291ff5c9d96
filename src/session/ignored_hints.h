#pragma once

#include <string>
#include <vector>

#include "scenario/machine.h"

namespace wt::session {

// CommunicationOptions are hints (tf_distribute.md, row F20). For a person: which of them are ignored, and why.
std::vector<std::string> ignored_hints(const scenario::Scenario& scenario, const cluster::Machine& machine);

}  // namespace wt::session
