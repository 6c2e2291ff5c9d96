#pragma once

#include <span>
#include <vector>

#include "plan/costs.h"
#include "plan/timeline.h"
#include "platform/platform.h"
#include "simulate/job.h"

namespace wt::simulate {

// A plan as a job, with an activity for each node, under the node's id.
struct Translation {
  Job job{};
  std::vector<platform::LinkId>
      links{};  // the platform's link for each link of the job, in the platform's order
};

// A node waits for its dependencies and for the previous Run or Sum of its stream. The job has only those
// links that bytes flow over. `where` holds the endpoint of each device of the plan. Throws InputError when
// no route joins two devices that exchange data.
Translation translate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                      std::span<const platform::Endpoint> where);

// The outcome of a translation's job in the terms of the plan and the platform.
plan::Timeline timeline_of(const Translation& translation, const platform::Platform& platform,
                           const Outcome& outcome);

}  // namespace wt::simulate
