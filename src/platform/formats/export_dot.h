#pragma once

#include <string>

#include "platform/platform.h"

namespace wt::platform {

// A drawing for Graphviz: machines as boxes, wires labelled with the bandwidth of a direction.
std::string to_dot(const Platform& platform);

}  // namespace wt::platform
