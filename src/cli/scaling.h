#pragma once
// `run --replicas`: the same training on more and more devices, planned and timed with shapes only.

#include "cli/commands.h"

namespace wt {

Exit run_scaling(const RunOptions& options, const Streams& streams);

}  // namespace wt
