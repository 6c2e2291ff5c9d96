#pragma once
// Adds a schedule of collective/ to a plan. The ranks of the schedule become devices of the plan, and its
// chunks become parts of their buffers. The same nodes are timed by simulate/ and computed by execute/.

#include <span>
#include <string>

#include "collective/expand.h"
#include "plan/order.h"

namespace wt::plan {

// A rank of the schedule, or one of the helpers, whose numbers follow those of the ranks. Chunks lie in
// `value` as the schedule's cut states: a rank's inputs are there before the collective, its outputs
// afterwards. Helpers have no value, and add_collective gives them memory.
struct Member {
  DeviceId device{};
  std::optional<Operand> value{};
};

// Appends the nodes of the schedule. A copy becomes a Move. A reduction becomes a Move into a slot of its own
// and then a Sum (value + slot -> value), which starts as soon as the schedule allows it to be applied. Nodes
// wait for the dependencies of the schedule and for earlier users of the values. They do not wait for each
// other's use of the same buffer, because they work on different parts of it.
//
// Requires: the schedule verifies; there is a member for each of its members; the values of all ranks have
// the same type and the schedule's length; `frontiers` describes the nodes so far, as order_accesses leaves
// it. The call extends `frontiers` along with the plan.
void add_collective(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
                    std::span<const Member> members, const Label& label = {},
                    Messages messages = Messages::in_order);

}  // namespace wt::plan
