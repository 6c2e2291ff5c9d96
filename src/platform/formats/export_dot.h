#pragma once

#include <string>

#include "platform/platform.h"

namespace wt::platform {

// The platform as a graph for Graphviz. Machines are boxes around their parts, and each connection is an edge
// that is labelled with the bandwidth of its directions. Throws InputError if the platform has too many links
// for a drawing.
std::string to_dot(const Platform& platform);

}  // namespace wt::platform
