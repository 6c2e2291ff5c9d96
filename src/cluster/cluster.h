#pragma once
// cluster/ describes who takes part in a training: the tasks of a TensorFlow cluster, and the machine of the
// platform that each task drives. Two workers on two DGX-1 are
//
//   Cluster{.spec = ClusterSpec({job_of("worker", {"host1:2222", "host2:2222"})}),
//           .tasks = {{.job = "worker", .index = 0, .machine = 0, .devices = {0, ..., 7}, .host = ...},
//                     {.job = "worker", .index = 1, .machine = 1, .devices = {8, ..., 15}, .host = ...}}}
//
// and device 3 of the second task has TensorFlow's name "/job:worker/replica:0/task:1/device:GPU:3".
//
// What must hold: every task drives exactly one machine, no machine has two tasks, and tasks are assigned to
// machines in the order of the spec. The inputs are those of a TensorFlow program: TF_CONFIG, cluster
// resolvers and TPU topologies. Names, rules and error texts are TensorFlow's; each header names the file of
// TensorFlow 2.x that it follows. This folder does not depend on strategies, plans or time, and never reads
// the environment of the process; callers pass values in.
//
// Read next: cluster_spec.h (jobs and addresses), roles.h (chief, workers, evaluator), tf_config.h,
// resolver.h, then tpu_topology.h and device_assignment.h for TPUs.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cluster/cluster_spec.h"
#include "device/name.h"
#include "platform/platform.h"

namespace wt::cluster {

// One process, which drives one machine with all of its devices.
struct Task {
  std::string job{};  // "worker"; "localhost" for a process without a cluster
  int index = 0;
  std::int32_t machine = 0;
  std::vector<platform::Endpoint> devices{};  // in the order of their indices in TensorFlow
  platform::Endpoint host{};  // the machine's first socket: CPU:0 of the task, where the input pipeline runs
};

struct Cluster {
  platform::Platform platform;
  ClusterSpec spec{};         // empty: a single process without a cluster
  std::vector<Task> tasks{};  // task i drives machine i; further machines take no part
};

// Assigns tasks to machines in order: the jobs in the order of the spec, and in each job the tasks by index.
// Throws InputError at `named_at` if there are more tasks than machines.
Cluster cluster_of(const platform::Platform& platform, const ClusterSpec& spec, const Place& named_at = {});

// The cluster of a platform without a spec: one worker for each machine. A single machine has one process
// without a cluster instead, unless it has TPUs, which always belong to a worker.
Cluster cluster_of(const platform::Platform& platform);

const Task* find(const Cluster& cluster, std::string_view job, int index);        // null: no such task
std::vector<const Task*> tasks_of(const Cluster& cluster, std::string_view job);  // by index
// The tasks that train in step with each other: the chief, then the workers; or the process without a
// cluster.
std::vector<const Task*> workers(const Cluster& cluster);
// The tasks that take no step: parameter servers and evaluators, in the order of the spec.
std::vector<const Task*> services(const Cluster& cluster);

// TensorFlow's names of a task, of its host and of its devices.
device::Name name(const Task& task);       // "/job:worker/replica:0/task:1"
device::Name host_name(const Task& task);  // the name of the task with "/device:CPU:0"
// With "/device:GPU:3". `device` is an index in task.devices.
device::Name device_name(const Cluster& cluster, const Task& task, std::size_t device);

// The device or host that a name means for a program that runs as `task`. Parts that the name leaves open are
// those of the task. None if there is no such device.
std::optional<platform::Endpoint> endpoint(const Cluster& cluster, const device::Name& name,
                                           const Task& task);

// The numbers of GPUs and TPUs of a task, as a cluster resolver reports them, which does not count CPUs.
std::map<device::Kind, int> accelerators(const Cluster& cluster, const Task& task);

}  // namespace wt::cluster
