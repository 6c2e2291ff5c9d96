#include "plan/pool.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/id.h"

namespace wt::plan {

namespace {

void check_template(const Plan& plan, const Pool& pool, const TaskTemplate& task) {
  WT_EXPECT(task.first < task.end && index(task.end) <= plan.nodes.size(),
            "a task has the nodes from {} to before {}, and the plan has {} nodes", index(task.first),
            index(task.end), plan.nodes.size());
  WT_EXPECT(task.worker == TaskTemplate::any_worker ||
                (task.worker >= 0 && static_cast<std::size_t>(task.worker) < pool.workers.size()),
            "a task belongs to worker {}, and the pool has {} workers", task.worker, pool.workers.size());
  for (NodeId id = task.first; id < task.end; id = static_cast<NodeId>(index(id) + 1))
    for (const NodeId other : plan.node(id).after)
      WT_EXPECT(other >= task.first, "node {} of a task depends on node {}, which is not part of the task",
                index(id), index(other));
}

void check_worker(const Plan& plan, const Pool& pool, const PoolWorker& worker) {
  WT_EXPECT(worker.devices > 0 &&
                index(worker.first) + static_cast<std::size_t>(worker.devices) <= plan.devices.size(),
            "a worker has {} devices from {} on, and the plan has {} devices", worker.devices,
            index(worker.first), plan.devices.size());
  WT_EXPECT(worker.devices == pool.workers.front().devices,
            "a worker has {} devices, and the first worker has {}", worker.devices,
            pool.workers.front().devices);
}

// Requires that each range ends before the next one begins, once the ranges are sorted.
void check_apart(std::vector<std::pair<std::size_t, std::size_t>> ranges, std::string_view what) {
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    WT_EXPECT(ranges[i - 1].second <= ranges[i].first, "two {} of a pool share number {}", what,
              ranges[i].first);
}

}  // namespace

void check(const Plan& plan, const Pool& pool) {
  WT_EXPECT(!pool.templates.empty() && !pool.workers.empty(), "a pool has {} templates and {} workers",
            pool.templates.size(), pool.workers.size());
  WT_EXPECT(pool.capacity > 0, "the queue of a pool has room for {} tasks", pool.capacity);
  std::vector<std::pair<std::size_t, std::size_t>> nodes, devices;
  for (const TaskTemplate& task : pool.templates) {
    check_template(plan, pool, task);
    nodes.emplace_back(index(task.first), index(task.end));
  }
  for (const PoolWorker& worker : pool.workers) {
    check_worker(plan, pool, worker);
    devices.emplace_back(index(worker.first), index(worker.first) + static_cast<std::size_t>(worker.devices));
  }
  check_apart(std::move(nodes), "templates");
  check_apart(std::move(devices), "workers");
}

}  // namespace wt::plan
