#pragma once
// The workers of a MultiWorkerMirroredStrategy. In TensorFlow each worker is a process that runs the same program and sees
// only its own replicas. Here one program computes the replicas of all workers, and a Worker is what the process of one of
// them would see. With a chief and one worker on a CPU each, the second of `workers(strategy)` is
//
//   {.task_type = "worker", .task_id = 0, .num_workers = 2, .id_in_cluster = 1, .is_chief = false, .replicas = {1},
//    .devices = {"/job:worker/replica:0/task:0/device:CPU:0"}}
//
// The rules are those of cluster/roles.h.

#include "data/distribute.h"
#include "train/strategy.h"

namespace wt::train {

struct Worker {
  // As the cluster resolver of its strategy has them. Unset: a program without a cluster.
  std::optional<std::string> task_type{};
  std::optional<int> task_id{};
  int num_workers = 1;
  int id_in_cluster = 0;
  bool is_chief = true;
  std::vector<std::size_t> replicas{};  // its own, by their number in the whole strategy
  std::vector<std::string> devices{};   // extended.worker_devices, and extended.parameter_devices

  bool in_multi_worker_mode() const { return num_workers > 1; }
  // extended.should_checkpoint and should_save_summary. The other workers have to save as well, since reading a variable
  // may take a collective, but into a folder that they delete.
  bool should_checkpoint() const { return is_chief; }
  bool should_save_summary() const { return is_chief; }

  // What experimental_local_results returns in its process.
  template <class T>
  std::vector<T> experimental_local_results(const DistributedValues<T>& values) const {
    return own(values.values());
  }
  // The elements of a step that a distributed dataset gives this worker's replicas, or what a function returned on them.
  PerReplica experimental_local_results(const PerReplica& each) const { return own(each); }

  // What distribute_datasets_from_function passes to the function in its process. Requires: each worker has as many
  // replicas.
  data::InputContext input_context() const;

 private:
  template <class T>
  std::vector<T> own(const std::vector<T>& all) const {
    std::vector<T> some;
    for (const std::size_t replica : replicas) some.push_back(all.at(replica));
    return some;
  }
};

// The workers whose replicas the strategy has, in the order of the replicas: the chief and then the workers of a cluster,
// the cluster's evaluator alone, or the program itself if there is no cluster.
std::vector<Worker> workers(const Strategy& strategy);

// What the constructor of MultiWorkerMirroredStrategy refuses of a cluster and the program's task in it. Throws
// device::ValueError, and InvalidArgumentError for a task or an address that no server can have.
void require_worker(const cluster::ClusterSpec& spec, const std::optional<std::string>& task_type,
                    std::optional<int> task_id);

}  // namespace wt::train
