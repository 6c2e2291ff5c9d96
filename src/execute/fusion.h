#pragma once
// Neighbours in a plan that one kernel computes in one pass over memory: a bias and the activation behind it. The plan
// stays as it is, since its nodes are what is timed and checked; only what is launched changes, and no bit of it.

#include <map>

#include "plan/plan.h"

namespace wt::execute {

// By the first of two neighbours (by id), what does the work of both. What lies between them is written only if it is
// what the second one writes. Requires: memory has been planned.
using Fusions = std::map<plan::NodeId, plan::Run>;
Fusions fusions_of(const plan::Plan& plan);

}  // namespace wt::execute
