#pragma once
// Rewrites a plan so that its replicas take turns in a memory that is too small for all of them at once. The
// new plan computes the same values. Four replicas of 6 GB on a GPU with 16 GB, for example, share two seats:
//
//   replicas 0 and 1 work in seats 0 and 1; they are copied out; replicas 2 and 3 are copied in and work
//
// Kernels and sums run in a seat only. The arena of a replica that does not work is parked in host memory.
// The ports of the plan refer to the parked arena, and messages read and write it there. Copies into and out
// of a seat are ordinary Moves with the role `swap`, so execute/ needs no special case for them.

#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace wt::plan {

// A memory that several devices of a plan share.
struct Piece {
  std::string name{};
  Bytes limit{};
  std::vector<DeviceId> devices{};
};

struct InTurns {
  Plan plan{};             // the original devices, some of them now parked, followed by the seats
  std::int64_t swaps = 0;  // number of arenas that are copied in during a step
  Bytes swapped{};         // bytes copied in and out during a step
};

// Each piece gets as many seats as its largest arena fits into it. If all arenas fit, they stay where they
// are, and without any seat the plan is the original. A turn lasts until its device has no node that is ready.
// The order of the ids therefore differs from that of the original plan, but it is a legal order, so the bits
// are the same. In the new plan each node waits for the previous one, even on another GPU.
//
// Requires: plan_memory has run, each arena fits into its piece alone, and the plan has no Collective.
InTurns in_turns(const Plan& plan, std::span<const Piece> pieces);

}  // namespace wt::plan
