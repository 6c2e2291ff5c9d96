#pragma once
// Timing by rounds. If all messages of each round begin and end together, and each waits for one of the round
// before, then the time of a schedule is the sum of the times of its rounds. Rounds of one kind
// (collective/schedule.h) take equally long, so a ring of 4,096 ranks needs the simulation of two rounds, and
// a torus of 65,536 chips that of six.

#include "communication/timing.h"

namespace wt::communication {

// Unset if that condition doesn't hold.
std::optional<Timing> time_in_lockstep(const Call& call, const Group& group, Type type);

}  // namespace wt::communication
