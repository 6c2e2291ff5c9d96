#pragma once

#include <vector>

#include "cli/collective.h"
#include "communication/group.h"

namespace wt::cli {

// The platform's devices in the order asked for, dealt to as many groups as run at once: rank r to group
// r modulo their number, as nccl-tests splits. Groups are equal.
std::vector<communication::Group> groups_of(const CollectiveOptions& options,
                                            const platform::Platform& platform);

}  // namespace wt::cli
