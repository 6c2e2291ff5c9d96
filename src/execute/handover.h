#pragma once
// The events with which several queues keep the order of a plan. Nodes on one queue run in the order in which
// they are enqueued. A dependency between two queues needs an event: one queue records it, and the other
// waits for it. An event is left out where earlier events imply it. If a is on queue 0, b and c are on queue
// 1 and both depend on a, for example, only b waits for a's event, since c runs behind b. Vector clocks find
// these cases (Fidge, 1988; Mattern, 1989).

#include <span>
#include <vector>

#include "plan/plan.h"

namespace wt::execute {

// The events of a node.
struct Handover {
  std::vector<plan::NodeId> awaits{};  // nodes of other queues for whose events this node waits
  bool is_awaited = false;             // an event is recorded behind this node
};

// The handovers by node. Requires: the order is legal, and `queues` has the number of each node's queue, from
// 0.
std::vector<Handover> handovers(const plan::Plan& plan, std::span<const plan::NodeId> order,
                                std::span<const std::size_t> queues);

}  // namespace wt::execute
