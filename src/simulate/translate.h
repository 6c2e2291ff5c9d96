#pragma once

#include <span>
#include <vector>

#include "plan/costs.h"
#include "plan/pool.h"
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

// A plan with the tasks of all workers as a job. Before the nodes of each task stands an activity for the
// coordinator's dispatch, which the nodes without dependencies wait for. The streams of a worker's devices
// work in the order of ids, as in every plan. A stream of a server, on which several tasks have nodes, is a
// station: it works in the order in which nodes become ready. Throws InternalError if a task depends on
// another one.
Translation translate(const plan::Pooled& pooled, const plan::Pool& pool, const plan::Costs& costs,
                      const platform::Platform& platform, std::span<const platform::Endpoint> where);

// The outcome of a translation's job in the terms of the plan and the platform.
plan::PoolTimeline pool_timeline_of(const Translation& translation, const platform::Platform& platform,
                                    const Outcome& outcome);
plan::Timeline timeline_of(const Translation& translation, const platform::Platform& platform,
                           const Outcome& outcome);

}  // namespace wt::simulate
