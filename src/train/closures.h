#pragma once
// The numbers of workers that don't wait for each other. They are computed in the order in which a simulation
// has found that reads and updates of variables take effect (plan/pool.h), node by node, so each worker
// computes with exactly the versions of the variables that it has pulled, and each update is applied exactly
// where the timeline says. There are no threads that race, and the same order gives the same bits.
//
// Of a closure whose worker is lost, what took effect is computed, and it has no result. Its worker begins its
// dataset again when it is back, because TensorFlow's coordinator then makes the worker's iterators anew
// (cluster_coordinator.py, WorkerPreemptionHandler and _rebuild).

#include <functional>
#include <vector>

#include "plan/pool.h"
#include "train/function.h"

namespace wt::train {

// The closures of an epoch, and the order of their nodes.
struct ClosureOrder {
  const plan::Pooled* pooled = nullptr;
  const plan::PoolTimeline* timeline = nullptr;
};

// Returns the order of so many closures.
using OrderOfClosures = std::function<ClosureOrder(std::int64_t closures)>;

// Executes closures on a plan that holds the tasks of all workers.
class ClosureExecution {
 public:
  // `replicas` is the number of each worker's. Requires: the order, the state and the queues outlive this
  // object.
  ClosureExecution(ClosureOrder order, std::size_t replicas, State& state, const execute::Queues& queues);
  ~ClosureExecution();
  ClosureExecution(const ClosureExecution&) = delete;
  ClosureExecution& operator=(const ClosureExecution&) = delete;

  using Arguments = std::function<PerReplica(std::int32_t worker)>;  // the next batch of a worker
  // Called after the last node of a closure, with what it returned on each replica. False ends the training.
  using Done = std::function<bool(std::int32_t closure, const PerReplica& results)>;
  using Back =
      std::function<void(std::int32_t worker)>;  // called before the next batch of a worker that was lost

  void run(const Arguments& arguments, const Done& done, const Back& back = {});

 private:
  void write(std::int32_t worker, const PerReplica& arguments);
  PerReplica read(std::int32_t worker) const;

  ClosureOrder order_;
  std::size_t replicas_;
  State& state_;
  execute::Execution execution_;
};

}  // namespace wt::train
