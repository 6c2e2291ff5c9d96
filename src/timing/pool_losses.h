#pragma once
// Losses of workers of a pool. A loss at a time is an absence of the simulated pool; a loss after so many closures
// comes when these have been completed, which a play of the pool without that loss says. As TensorFlow's coordinator
// does, the pool executes each closure at least once (plan/pool.h), so a loss costs what is done twice: this is
// counted here.

#include <functional>
#include <vector>

#include "timing/pool.h"

namespace wt::timing {

// Plays the pool until all moments of losses are known. `play` returns the timeline with these absences. Throws
// InputError if random losses come so often that hardly a closure is completed.
plan::PoolTimeline play_with_losses(
    const PoolOptions& pool, const std::function<plan::PoolTimeline(std::vector<plan::Absence>)>& play);

PoolLosses losses_of(const PlayedPool& played);

// Adds the counts and times of a pool that was played after the others.
void add(PoolLosses& sum, const PoolLosses& later);

}  // namespace wt::timing
