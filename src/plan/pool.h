#pragma once
// Work that is not assigned to a worker when a plan is written: closures in a queue, and the workers that
// take them from it. TensorFlow's ClusterCoordinator is such a pool. `schedule` appends a function to the
// queue, and each worker takes the next function as soon as it is free:
//
//   plan with the devices worker:0, worker:1 and ps:0
//     task of worker 0   nodes  0 to 11      pull variables, compute, push gradients, update variables
//     task of worker 1   nodes 12 to 23      the same on worker 1, with the variables of ps:0
//   pool: 1000 closures, each is one execution of one of the tasks
//
// Which worker executes how many closures is not part of the pool: the simulation decides it by rule, and
// answers a PoolTimeline. That is a list of occurrences in the order in which they take effect, and executing
// the nodes in this order gives the numbers: a worker computes with exactly the versions that it has pulled,
// and an update is applied exactly where the timeline says. README.md describes how values follow from time.
//
// Source: TensorFlow 2.x, distribute/coordinator/cluster_coordinator.py.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "plan/timeline.h"

namespace wt::plan {

// What a worker executes for a closure: the nodes from `first` to before `end`.
struct Task {
  NodeId first{};
  NodeId end{};
};

// A plan that holds the task of every worker, one after the other, beside the variables that they share.
struct Pooled {
  Plan plan{};
  std::vector<Task> tasks{};  // by worker

  static constexpr std::int32_t none = -1;
  std::vector<std::int32_t> worker_of{};  // by device of the plan; `none` of servers, which all workers share
};

// Makes the tasks of all workers from the plan of the first one. `workers` has the devices of each worker, in
// the same order; device i of worker w takes the place of device i of worker 0. Devices of no worker, the
// servers, are shared: what outlives the step there is shared as well, and everything else, such as a
// gradient that has arrived, each worker has for itself, since closures overlap in time. The ports of replica
// r of worker w have the names of replica w * replicas + r. A message waits for the earlier users of its
// slot. Requires: plan_memory has run without a shortage.
Pooled pooled(const Plan& one, std::span<const std::vector<Device>> workers, std::size_t replicas);

// A worker that is lost, and comes back or not. Nothing that it computes ends after its loss; bytes on their way
// arrive, and a server completes the kernel that it has begun. The closure goes to the end of the queue and is executed
// again from its beginning, by any worker, and what its first execution has changed stays changed: TensorFlow
// executes closures at least once.
struct Absence {
  std::int32_t worker = 0;
  Seconds from{};
  std::optional<Seconds> until{};  // unset: the worker does not come back
  // True: the worker goes on, and its network carries nothing for a time that is shorter than TensorFlow's timeout of
  // heartbeats, so that no closure is lost. Transfers that have begun arrive, and no other one begins in this time.
  bool is_stall = false;
};

// A worker whose kernels take `factor` times as long, in a range of PoolTimeline::closures.
struct SlowWorker {
  std::int32_t worker = 0;
  std::int32_t from = 0;
  std::int32_t until = std::numeric_limits<std::int32_t>::max();
  double factor = 1;
};

struct Pool {
  std::int64_t closures = 0;  // of all workers together
  // The time of the coordinator for a closure. It dispatches one at a time. 0: there is no coordinator.
  Seconds dispatch{};
  // How many closures a worker gets with one dispatch, and executes one after the other: Keras'
  // steps_per_execution.
  std::int64_t at_once = 1;
  // The coordinator joins after so many closures: it schedules the next ones when these have ended. 0: it
  // joins once, at the end.
  std::int64_t join_every = 0;
  std::vector<double> paces{};  // by closure, the factor on the times of the worker's kernels; empty: 1
  std::vector<Absence> absences{};
  std::vector<SlowWorker> slow{};
};

// One run of a node in a closure.
struct Occurrence {
  NodeId node{};
  std::int32_t closure{};  // in PoolTimeline::closures
  Seconds start{};
  Seconds end{};

  bool operator==(const Occurrence&) const = default;
};
static_assert(std::is_trivially_copyable_v<Occurrence>);

// An execution of a closure by a worker.
struct Closure {
  std::int32_t worker = 0;
  std::int32_t number = 0;  // of the closure, in the order in which closures are scheduled
  Seconds taken{};  // the coordinator begins to dispatch it to its worker, or the worker begins with it
  Seconds end{};    // of everything that it has begun
  // Set if the worker was lost, so that this execution has no result and the closure is executed again. With several
  // closures a dispatch, this holds for all of a dispatch: they are one function of TensorFlow's.
  std::optional<Seconds> lost{};
};

// A pool that was played.
struct PoolTimeline {
  // In the order in which they take effect: a copy reads when its bytes begin to flow, and a kernel has
  // written when it ends. In this order each node of a closure stands after its dependencies.
  std::vector<Occurrence> occurrences{};
  std::vector<Closure> closures{};  // executions in the order in which workers began them
  std::int64_t never_executed = 0;  // closures that are left when all workers are lost
  std::vector<Absence> absences{};  // those of the pool
  std::vector<LinkUse> links{};
  Seconds end{};
};

}  // namespace wt::plan
