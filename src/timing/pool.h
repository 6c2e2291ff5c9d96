#pragma once
// The time of a training whose workers take closures from a coordinator's queue, and what follows from it:
// how many updates a second the servers apply, how stale each update is, and what bounds them.

#include <functional>
#include <optional>
#include <vector>

#include "cluster/machine.h"
#include "plan/pool.h"
#include "timing/simulated.h"
#include "timing/step_clock.h"

namespace wt::timing {

// The loss of a worker, in the time of one pool, or a stall of its network (plan::Absence).
struct WorkerLoss {
  std::int32_t worker = 0;
  std::optional<Seconds> time{};  // since the beginning of the pool
  std::int64_t closures = 0;      // if no time is set: the moment when so many closures have been completed
  Seconds grace{};                // how much later the worker stops
  std::optional<Seconds> back_after{};  // unset: the worker does not come back
  bool is_stall = false;
};

struct PoolOptions {
  std::vector<std::vector<plan::Device>>
      workers{};             // the devices of each; those of the first are in the plan
  std::size_t replicas = 1;  // of each worker
  std::int64_t servers = 1;
  std::int64_t closures = 0;    // of all workers
  Seconds dispatch{};           // of the coordinator, for `at_once` closures; 0: there is none
  std::int64_t at_once = 1;     // closures that a worker gets with one dispatch
  std::int64_t join_every = 0;  // closures between two joins of the coordinator; 0: it joins at the end
  std::vector<plan::SlowWorker> slow{};
  std::vector<WorkerLoss> losses{};
  std::int64_t carried_losses = 0;  // of these, those of an earlier pool, whose workers are still away
  // True of TensorFlow's coordinator: a worker that is back takes closures when no worker is away any more, since
  // the coordinator connects anew to all of them at once (context.update_server_def, which waits for each).
  bool recover_together = false;
  // Returns the random losses before this time since the beginning of the pool: the same ones for the same time, and
  // more for a later time. Empty: there are none.
  std::function<std::vector<WorkerLoss>(Seconds end)> random_losses{};
  std::int64_t closures_with_losses = 0;  // that the summary plays, if workers are lost

  bool has_losses() const { return !losses.empty() || random_losses; }
  PoolOptions without_losses() const;
};

// A pool that was simulated.
struct PlayedPool {
  plan::Pooled pooled{};
  plan::Costs costs{};
  plan::PoolTimeline timeline{};
  std::int64_t carried_losses = 0;  // that an earlier pool has counted
};

// `one` is the plan of the first worker's closure. With jitter, each closure has a pace of its own, which
// comes from the seed. Throws InputError if workers are lost so often that they hardly execute closures.
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
// In the order of time, those of lost executions included.
std::vector<Update> updates_of(const PlayedPool& played);

// The closure of the first worker that took as long as the median of its closures: what one step looks like.
// The spans begin when the coordinator dispatches it.
plan::Timeline typical_closure(const PlayedPool& played);

// `alone` is a pool of the first worker only with one dispatch, without jitter. Requires: `played` has no losses.
PoolTime summary_of(const PlayedPool& played, const PlayedPool& alone, const PoolOptions& pool);

}  // namespace wt::timing
