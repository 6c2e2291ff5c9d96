#pragma once
// Replicas in turns: where a piece of memory has room for some of the arenas and not for all, a plan becomes another
// one that computes the same. Kernels and sums work in the pieces alone. An arena in which nobody works lies parked,
// whole, where the plan's ports are, and messages find it there. Who takes a turn is copied in, and copied out when
// the seat is another's. Turns are moves like any other of a step: who executes the plan needs to know nothing of
// them.

#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace wt::plan {

// Memory that some of a plan's devices share.
struct Piece {
  std::string name{};
  Bytes limit{};
  std::vector<DeviceId> devices{};
};

struct InTurns {
  Plan plan{};             // the devices of the original, parked where they have no room, then the seats
  std::int64_t swaps = 0;  // arenas that are brought in, in a step
  Bytes swapped{};         // in and out
};

// Of the arenas of a piece so many lie in it at once as have room; where all have, they stay. A turn lasts as long as
// its device has something to do, so the order of ids changes; which is legal, so the bits don't. The nodes wait for
// each other one by one. Requires: memory has been planned, each arena has room alone, no collective is whole.
InTurns in_turns(const Plan& plan, std::span<const Piece> pieces);

}  // namespace wt::plan
