#pragma once

#include <span>
#include <vector>

#include "plan/costs.h"
#include "platform/platform.h"
#include "simulate/job.h"

namespace wt::simulate {

// A plan as a job: one activity per node, with the node's id.
struct Translation {
  Job job{};
  std::vector<platform::LinkId>
      links{};  // by the job's link, in the platform's order: those that carry bytes
};

// What a node waits for beside its dependencies is the Run or Sum before it in its stream, if it has one.
// `where` has an endpoint for every device of the plan; throws InputError when no route leads between two of
// them that exchange something.
Translation translate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                      std::span<const platform::Endpoint> where);

}  // namespace wt::simulate
