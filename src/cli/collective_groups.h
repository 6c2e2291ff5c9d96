#pragma once

#include <vector>

#include "cli/collective.h"
#include "communication/group.h"

namespace wt::cli {

// Divides the platform's devices, in the requested order, into the groups that run at once. With g groups,
// rank r joins group r modulo g, as in nccl-tests. All groups have the same size. Throws InputError if the
// ranks can't be divided like that.
std::vector<communication::Group> groups_of(const CollectiveOptions& options,
                                            const platform::Platform& platform);

}  // namespace wt::cli
