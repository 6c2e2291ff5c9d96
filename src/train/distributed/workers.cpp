#include "train/distributed/workers.h"

#include <fmt/format.h>

#include "cluster/roles.h"
#include "device/error.h"
#include "program/placement.h"

namespace wt::train {

namespace {

bool is_on(const device::Name& device, const std::string& job, int task) {
  return device.job == job && device.task == task;
}

Worker worker_of(const Strategy& strategy, const std::string& job, int task) {
  const cluster::ClusterSpec& spec = strategy.traits().cluster;
  Worker worker{.task_type = job,
                .task_id = task,
                .num_workers = cluster::worker_count(spec, job),
                .id_in_cluster = cluster::id_in_cluster(spec, job, task),
                .is_chief = cluster::is_chief(spec, job, task)};
  const std::vector<device::LogicalDevice>& devices = strategy.traits().devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!is_on(devices[i].name, job, task)) continue;
    worker.replicas.push_back(i);
    worker.devices.push_back(device::print(devices[i].name));
  }
  return worker;
}

}  // namespace

data::InputContext Worker::input_context() const {
  return {.input_pipelines = num_workers,
          .input_pipeline = id_in_cluster,
          .replicas_in_sync = num_workers * std::ssize(replicas)};
}

std::vector<Worker> workers(const Strategy& strategy) {
  const Strategy::Traits& traits = strategy.traits();
  std::vector<Worker> found;
  for (const std::string_view job : {"chief", "worker", "evaluator"})
    if (const cluster::Job* tasks = traits.cluster.find(job))
      for (const auto& task : tasks->tasks) {
        Worker worker = worker_of(strategy, std::string(job), task.first);
        if (!worker.replicas.empty()) found.push_back(std::move(worker));
      }
  if (!found.empty()) return found;
  Worker alone;
  for (std::size_t i = 0; i < traits.devices.size(); ++i) {
    alone.replicas.push_back(i);
    alone.devices.push_back(device::print(traits.devices[i].name));
  }
  return {alone};
}

void require_worker(const cluster::ClusterSpec& spec, const std::optional<std::string>& task_type,
                    std::optional<int> task_id) {
  if (!task_type || !task_id) throw device::ValueError(std::string(cluster::needs_task));
  if (cluster::worker_count(spec, *task_type) == 0)
    throw device::ValueError("No `worker`, `chief` or `evaluator` tasks found in `cluster_spec`.");
  cluster::validate(spec, *task_type, *task_id);
  if (*task_id < 0)
    throw InvalidArgumentError(fmt::format("Invalid device filter: /job:{}/task:{}", *task_type, *task_id));
  const cluster::Job* job = spec.find(*task_type);
  if (job == nullptr) return;  // an evaluator beside the cluster
  const std::string fault = cluster::fault_of_own_address(spec.task_address(*task_type, *task_id));
  if (!fault.empty()) throw InvalidArgumentError(fault);
}

}  // namespace wt::train
