#pragma once
// A schedule of collective/ as part of a plan: its ranks are devices, its chunks parts of their buffers. So
// what is timed and what is computed are the same nodes.

#include <span>
#include <string>

#include "collective/expand.h"
#include "plan/order.h"

namespace wt::plan {

// A rank, or one of the helpers behind the ranks. Chunks lie in `value` as the schedule's cut says: what is
// brought is there before, what is wanted is there afterwards. Helpers need none of their own: they get
// memory for it.
struct Member {
  DeviceId device{};
  std::optional<Operand> value{};
};

// Appends it. A copy is a Move; a reduction is a Move into memory of its own, then a Sum there + arriving ->
// there, as soon as the schedule lets it be applied. Nodes wait for what the schedule says and for who used
// the values before, not for each other's use of the same buffer: they work on parts of it.
//
// Requires: a schedule that verifies; a member for each of its members, ranks with values of one type and of
// its length; `frontiers` of the nodes so far, as order_accesses leaves them. They grow with the plan.
void add_collective(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
                    std::span<const Member> members, const Label& label = {},
                    Messages messages = Messages::in_order);

}  // namespace wt::plan
