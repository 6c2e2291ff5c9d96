#pragma once
// Neighbouring nodes of a plan that one kernel computes in one pass over memory, such as a bias and the
// activation behind it (kernel/fused.h). The plan keeps both nodes, since nodes are timed and checked one by
// one. Only the launch changes, and the results keep their bits.

#include <map>

#include "plan/plan.h"

namespace wt::execute {

// Maps the first of two nodes with neighbouring ids to the Run that computes both. The value between them is
// not written, unless the second node writes to the same memory. Requires: memory has been planned.
using Fusions = std::map<plan::NodeId, plan::Run>;
Fusions fusions_of(const plan::Plan& plan);

}  // namespace wt::execute
