#pragma once
// The time of a training whose workers take closures from a coordinator's queue, and what follows from it:
// how many updates a second the servers apply, how stale each update is, and what bounds them.

#include <vector>

#include "cluster/machine.h"
#include "plan/pool.h"
#include "timing/simulated.h"
#include "timing/step_clock.h"

namespace wt::timing {

struct PoolOptions {
  std::vector<std::vector<plan::Device>>
      workers{};             // the devices of each; those of the first are in the plan
  std::size_t replicas = 1;  // of each worker
  std::int64_t servers = 1;
  std::int64_t closures = 0;    // of all workers
  Seconds dispatch{};           // of the coordinator, for `at_once` closures; 0: there is none
  std::int64_t at_once = 1;     // closures that a worker gets with one dispatch
  std::int64_t join_every = 0;  // closures between two joins of the coordinator; 0: it joins at the end
};

// A pool that was simulated.
struct PlayedPool {
  plan::Pooled pooled{};
  plan::Costs costs{};
  plan::PoolTimeline timeline{};
};

// `one` is the plan of the first worker's closure. With jitter, each closure has a pace of its own, which
// comes from the seed.
PlayedPool play_pool(const plan::Plan& one, const PoolOptions& pool, const cluster::Machine& machine,
                     StepClock& clock, const StepTimeOptions& options, double jitter, std::int64_t seed);

// The same pool with the first worker only, which takes the closures of one dispatch: how long a closure
// takes if nothing meets it.
PlayedPool play_alone(const plan::Plan& one, const PoolOptions& pool, const cluster::Machine& machine,
                      StepClock& clock, const StepTimeOptions& options);

// How many updates of the same variable other closures made between the moment at which a closure read the
// variable and the moment at which its own update of it took effect (Ho et al., More Effective Distributed ML
// via a Stale Synchronous Parallel Parameter Server, 2013).
struct Update {
  std::int32_t closure = 0;
  std::int32_t staleness = 0;
};
std::vector<Update> updates_of(const PlayedPool& played);  // in the order of time

// The closure of the first worker that took as long as the median of its closures: what one step looks like.
// The spans begin when the coordinator dispatches it.
plan::Timeline typical_closure(const PlayedPool& played);

// `alone` is a pool of the first worker only with one dispatch, without jitter.
PoolTime summary_of(const PlayedPool& played, const PlayedPool& alone, const PoolOptions& pool);

}  // namespace wt::timing
