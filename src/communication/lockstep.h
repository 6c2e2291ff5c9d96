#pragma once
// Where all messages of a round begin and end together, and each waits for one of the round before, the time of
// a schedule is the sum of its rounds'. Rounds that are alike (collective/schedule.h) take equally long, so a
// ring of 4,096 is two rounds, and a torus of 65,536 chips six.

#include "communication/timing.h"

namespace wt::communication {

// None where that doesn't hold.
std::optional<Timing> time_in_lockstep(const Call& call, const Group& group, Type type);

}  // namespace wt::communication
