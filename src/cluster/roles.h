#pragma once
// The role of a task in its cluster, and the clusters that TensorFlow rejects
// (tensorflow/python/distribute/multi_worker_util.py of TensorFlow 2.x; run_config.py of the Estimator). In a
// cluster of the jobs chief (1 task) and worker (3 tasks), worker 0 is not the chief, has id_in_cluster 1,
// and the worker_count is 4.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster_spec.h"

namespace wt::cluster {

// A reason for which TensorFlow rejects a cluster or a task of it. `about` is the part that would have to
// change.
struct Fault {
  enum class About { job, task_type, task_index };
  About about{};
  std::string job{};   // the job, or the type of the task
  std::string text{};  // the text of TensorFlow's error
  std::string remedy{};
};

// All faults, in the order of TensorFlow's checks. Without a task type only the jobs are checked.
std::vector<Fault> faults(const ClusterSpec& spec, const std::optional<std::string>& task_type,
                          std::optional<int> task_id);

// What TensorFlow says of a cluster without a task of the program's own (collective_all_reduce_strategy.py).
inline constexpr std::string_view needs_task =
    "When `cluster_spec` is given, you must also specify `task_type` and `task_id`.";

// What TensorFlow's server says of the address of its own task if no port, which is a number, follows its last colon
// (grpc_server_lib.cc); empty: nothing.
std::string fault_of_own_address(const std::string& address);

// Throws ValueError with the first fault, as TensorFlow does. All functions below call it, except task_count
// and validate_for_estimator.
void validate(const ClusterSpec& spec, const std::string& task_type, int task_id);

int task_count(const ClusterSpec& spec, std::string_view job);  // 0: no such job

// Whether the task is the one that saves checkpoints, logs and exports. Without a job "chief" it is worker 0.
// An evaluator is always its own chief.
bool is_chief(const ClusterSpec& spec, const std::string& task_type, int task_id);

// The number of chiefs and workers together. For an evaluator, which takes no part in the training, the
// number of evaluators. Throws ValueError for parameter servers, and KeyError for an evaluator that the cluster lacks.
int worker_count(const ClusterSpec& spec, const std::string& task_type);

// The rank of the task, from 0 to worker_count - 1: the chief, then the workers. Throws ValueError for
// parameter servers.
int id_in_cluster(const ClusterSpec& spec, const std::string& task_type, int task_id);

// The task that coordinates the groups of collective operations, "/job:worker/replica:0/task:0". "" if there
// is no cluster, and for an evaluator.
std::string collective_leader(const ClusterSpec& spec, const std::string& task_type, int task_id);

// The Estimator's stricter rules, such as that the cluster must have a chief. Throws ValueError. An empty
// spec is legal.
void validate_for_estimator(const ClusterSpec& spec, const std::optional<std::string>& task_type,
                            std::optional<int> task_id);

}  // namespace wt::cluster
