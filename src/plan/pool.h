#pragma once
// A pool describes work that is not assigned to a device when a plan is written: a queue of tasks, and the
// workers that take them from it. TensorFlow's ClusterCoordinator is such a pool. `schedule` appends a
// function to one queue, and each of its worker threads takes the next function as soon as its worker is
// free:
//
//   pool of a plan with nodes 0 to 20 and devices worker:0, worker:1, ps:0
//     templates  {nodes 0 to 11, any worker}      a training step: pull variables, compute, push gradients
//                {nodes 12 to 20, any worker}     an evaluation step
//     workers    {devices from 0 on}, {devices from 1 on}
//     capacity   262144 waiting tasks
//
// A task is one execution of a template. Which worker takes which task is not part of the pool: the
// simulation decides it by rule, with ties resolved by worker number, and the result is a list of occurrences
// (plan/occurrence.h). All parts are plain values in vectors, which pass through the pipe of simulate/ as
// they are. README.md describes how a plan with pools is simulated and executed.
//
// Source: TensorFlow 2.x, distribute/coordinator/cluster_coordinator.py.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "plan/plan.h"

namespace wt::plan {

// A piece of a plan that is executed as one task: the nodes from `first` to before `end`, on one worker. The
// nodes are written for the devices of the first worker of the pool.
struct TaskTemplate {
  static constexpr std::int32_t any_worker = -1;

  NodeId first{};
  NodeId end{};
  std::int32_t worker = any_worker;  // index in Pool::workers; set for work that belongs to one worker
};
static_assert(std::is_trivially_copyable_v<TaskTemplate>);

// A worker of a pool: `devices` devices of the plan from `first` on. When it executes a template, its device
// i takes the place of device i of the first worker. Devices that belong to no worker, such as those of
// parameter servers, are the same for all workers.
struct PoolWorker {
  DeviceId first{};
  std::int32_t devices = 1;
};
static_assert(std::is_trivially_copyable_v<PoolWorker>);

// The rule by which a free worker takes its next task.
enum class QueueOrder : std::uint8_t {
  oldest_first,    // the task that has waited longest among those it may take
  own_tasks_first  // the oldest task that belongs to the worker, else the oldest of any worker: TensorFlow
};

struct Pool {
  std::vector<TaskTemplate> templates{};
  std::vector<PoolWorker> workers{};
  std::int64_t capacity =
      256 * 1024;  // tasks that may wait; the scheduling program blocks when it is reached
  QueueOrder order = QueueOrder::own_tasks_first;
};

// Requires what makes tasks independent of each other and of their worker. Each template is a range of the
// plan's nodes that overlaps no other template, and its nodes depend on nodes of the same template only,
// since tasks of a pool have no order among each other. Workers have equally many devices, and share none.
// Throws InternalError.
void check(const Plan& plan, const Pool& pool);

}  // namespace wt::plan
