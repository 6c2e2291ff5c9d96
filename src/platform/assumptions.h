#pragma once

#include <vector>

#include "platform/description.h"

namespace wt::platform {

// What is assumed about a platform of the user's own, one sentence each: the crossing of a wire without a
// latency takes no time, and NICs that are below no PCIe switch are attached to the CPU sockets. The files of
// the folder platforms/ state these things on purpose, so their parts are left out.
std::vector<Problem> assumptions(const Description& description);

}  // namespace wt::platform
