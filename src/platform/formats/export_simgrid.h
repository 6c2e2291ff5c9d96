#pragma once

#include <string>

#include "platform/platform.h"

namespace wt::platform {

// SimGrid's platform XML (DTD 4.1): one zone with every route between devices and hosts, each link one
// direction. Throws InputError where there are too many of them.
std::string to_simgrid(const Platform& platform);

}  // namespace wt::platform
