#pragma once
// tf.distribute.cluster_resolver.SlurmClusterResolver (slurm_cluster_resolver.py of TensorFlow 2.21): the cluster of a
// job step of the workload manager Slurm, from the environment variables that Slurm gives to each process of the step.
// Functions and error texts are TensorFlow's.
//
//   SLURM_PROCID                the number of this process in the step
//   SLURM_STEP_NUM_TASKS        how many processes the step has
//   SLURM_STEP_NODELIST         "node[1-3,07]": node1, node2, node3 and node07
//   SLURM_STEP_TASKS_PER_NODE   "2(x3),1": two processes on each of the first three nodes, one on the fourth

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/resolver.h"

namespace wt::cluster {

// The hosts of a list, in its order. The first number of a range states how many digits its numbers have at least. Throws
// ValueError.
std::vector<std::string> expand_hostlist(std::string_view hostlist);
// "3(x2),2,1" gives 3, 3, 2, 1. Throws ValueError.
std::vector<std::int64_t> expand_tasks_per_node(std::string_view tasks_per_node);

class SlurmClusterResolver : public ClusterResolver {
 public:
  using Environment = std::map<std::string, std::string>;
  using TasksOfHosts = std::map<std::string, std::int64_t>;

  struct Arguments {
    std::optional<std::map<std::string, std::int64_t>> jobs{};  // unset: all tasks are of the job "worker"
    int port_base = 8888;                                       // of the first task of each node
    // Unset: as many as CUDA_VISIBLE_DEVICES lists, or else `gpus_of_machine`.
    std::optional<std::int64_t> gpus_per_node{};
    std::optional<std::int64_t> gpus_per_task{};  // unset: the GPUs of a node in equal parts
    // The same number for all nodes, or that of each host. Unset: those of Slurm.
    std::optional<std::variant<std::int64_t, TasksOfHosts>> tasks_per_node{};
    bool auto_set_gpu = true;
    std::optional<std::string> rpc_layer = "grpc";
    // What TensorFlow asks of nvidia-smi. Unset: there is no such program.
    std::optional<std::int64_t> gpus_of_machine{};
  };

  // Throws RuntimeError for a variable that is missing, and if more tasks or GPUs are requested than there are. Throws
  // ValueError for a variable that can't be read.
  explicit SlurmClusterResolver(const Environment& environment, Arguments arguments);
  explicit SlurmClusterResolver(const Environment& environment);

  // Hosts and jobs are sorted by their names. As in TensorFlow, a task without a GPU is refused here, with Python's
  // ValueError "range() arg 3 must not be zero".
  ClusterSpec cluster_spec() const override;
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override;
  // TensorFlow knows these only after the first call of cluster_spec; here they are known from the beginning.
  std::optional<std::string> task_type() const override { return task_.task_type; }
  std::optional<int> task_id() const override { return task_.task_id; }
  std::optional<std::string> rpc_layer() const override { return arguments_.rpc_layer; }

  // What TensorFlow's cluster_spec sets CUDA_VISIBLE_DEVICES to, "2,3"; none without auto_set_gpu.
  std::optional<std::string> cuda_visible_devices() const;

 private:
  struct Task {
    std::string address{};  // "node1:8889"
    std::string gpus{};     // "2,3"
  };
  std::vector<Task> tasks() const;
  std::string gpus_of_rank(const std::vector<Task>& tasks) const;
  TaskArguments own_task() const;

  std::int64_t rank_ = 0;
  Arguments arguments_;
  std::map<std::string, std::int64_t> jobs_{};
  TasksOfHosts tasks_of_hosts_{};
  std::int64_t gpus_per_node_ = 0;
  std::int64_t gpus_per_task_ = 0;
  TaskArguments task_{};
};

}  // namespace wt::cluster
