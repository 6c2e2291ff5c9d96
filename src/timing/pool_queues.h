#pragma once
// Who waits in a pool that was simulated: workers for the coordinator's dispatch, and updates for the CPU of
// their server, which applies one after the other. The mean length of a queue is the time that all have
// waited in it over the time of the pool (Little, A Proof for the Queuing Formula: L = lambda W, 1961).

#include <vector>

#include "timing/pool.h"

namespace wt::timing {

// That of the coordinator, if there is one, then those of the servers.
std::vector<PoolTime::Queue> queues_of(const PlayedPool& played, bool has_coordinator);

}  // namespace wt::timing
