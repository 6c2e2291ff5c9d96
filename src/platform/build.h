#pragma once

#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

struct Built {
  std::shared_ptr<const Topology> topology{};  // null where there was a problem
  std::vector<Problem> warnings{};             // links that nothing uses
};

// Machines and networks of a description. Every pair of devices and hosts has a route, or there is a problem.
Built build(const Description& description, Problems& problems);

}  // namespace wt::platform
