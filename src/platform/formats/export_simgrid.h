#pragma once

#include <string>

#include "platform/platform.h"

namespace wt::platform {

// The platform in SimGrid's XML (DTD 4.1): one zone in which every device and every host is a SimGrid host,
// with the route from each to each other stated link by link. A link is one direction of a connection. Throws
// InputError if there are too many routes.
std::string to_simgrid(const Platform& platform);

}  // namespace wt::platform
