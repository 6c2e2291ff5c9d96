#pragma once
// From a description to machines: counts the machines and devices, wires one machine (platform/wiring.h), and
// makes the fabric and the network that join its copies (platform/networks.h, platform/torus.h).

#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

struct Built {
  std::shared_ptr<const Topology> topology{};  // null if there was a problem
  std::vector<Problem> warnings{};             // described links that no route takes
};

// Adds everything that is wrong to `problems`. Without a problem every two devices and hosts have a route.
Built build(const Description& description, Problems& problems);

}  // namespace wt::platform
