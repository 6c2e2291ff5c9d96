#pragma once
// Timing by stages. Many schedules consist of few stages of equal rounds, in which every message waits for
// messages of the round before: a ring has one stage that reduces and one that gathers. From one round of each
// stage follow all rounds (simulate/repetition.h), whether or not they begin and end together, as a ring's do
// not that leaves machines by slower links than it has inside.

#include "communication/timing.h"

namespace wt::communication {

// Unset if a message waits for others than those of the round before, unless these are implied, or if too much would
// be simulated.
std::optional<Timing> time_in_stages(const Call& call, const Group& group, Type type);

}  // namespace wt::communication
