#pragma once
// The machine that a program runs on, resolved: the described machine, its devices as the program has
// configured them, and the replicas of the training with the devices that each of them computes on. It is
// plain data. Example, two workers with two GPUs each:
//
//   replicas  /job:worker/replica:0/task:0/device:GPU:0   task 0
//             /job:worker/replica:0/task:0/device:GPU:1   task 0
//             /job:worker/replica:0/task:1/device:GPU:0   task 1
//             /job:worker/replica:0/task:1/device:GPU:1   task 1
//   tasks     2
//
// scenario/machine.h builds it from a scenario. Strategies lower steps for it, timing/ times plans on it, and
// session/ maps its replicas to the devices of this host.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cluster/cluster.h"
#include "device/context.h"
#include "platform/platform.h"

namespace wt::cluster {

// Layers by name, and the logical device of their replica that computes them.
using AssignedLayers = std::map<std::string, std::size_t, std::less<>>;

struct Replica {
  device::LogicalDevice device{};  // logical device 0, which computes whatever is not assigned
  int task = 0;                    // whose host feeds the replica, counted over the tasks that feed
  std::vector<device::LogicalDevice> further{};  // logical devices 1, 2, ...: further cores of a TPU replica

  std::vector<device::LogicalDevice> devices() const;  // `device` and `further`
};

// The workers of a training that take closures from a coordinator's queue, and the servers that keep its
// variables.
struct Pool {
  std::vector<std::vector<Replica>> workers{};  // the replicas of each worker, equally many
  std::vector<device::Name> servers{};          // CPU:0 of each task "ps"
};

struct Machine {
  std::optional<platform::Platform> platform{};  // absent: the machine at hand, which is not simulated
  device::Context context{};                     // the devices that the first process sees
  std::vector<Replica> replicas{};               // at least one
  int tasks = 1;                                 // processes that feed replicas
  int own_task = 0;  // of `tasks`, the one that the program is, which TF_CONFIG decides: its log is printed
  // Set if workers don't wait for each other. `replicas` are those of the first worker then, which stands for
  // all, and it is the only task that is counted.
  std::optional<Pool> pool{};
  // The device on which the cluster's task "evaluator" evaluates checkpoints, beside the training. Unset: there is
  // none.
  std::optional<Replica> evaluator{};
  // Every task with its machine and its endpoints: also those that don't train, such as parameter servers.
  // Unset without a platform, and for a single process.
  std::optional<Cluster> cluster{};
  // The device on which central storage keeps variables, or on which mirrored reduces, if the scenario names
  // one.
  std::optional<device::LogicalDevice> center{};
  // The endpoint in the platform of every logical device of the cluster's tasks, by full device name. Several
  // logical devices may be cut from one physical device and share its endpoint. Empty without a platform.
  std::map<std::string, platform::Endpoint, std::less<>> endpoints{};
  std::vector<int> computation_shape{1, 1, 1, 1};  // cores of a TPU replica along (x, y, z, core)
  AssignedLayers assigned{};                       // layers that are not on their replica's logical device 0
  std::vector<Problem> warnings{};
  std::vector<Problem> notes{};  // what is assumed about the platform

  const device::LogicalDevice& device() const { return replicas.front().device; }
  // The replicas of all workers together.
  std::int64_t all_replicas() const {
    return std::ssize(replicas) * (pool ? std::ssize(pool->workers) : std::ptrdiff_t{1});
  }
  std::int64_t devices_of_each() const { return std::ssize(replicas.front().further) + 1; }  // per replica

  // The endpoint of a replica's device, a host, or a switch that adds. Requires: a platform with such a name
  // in it.
  platform::Endpoint endpoint(std::string_view device) const;
};

}  // namespace wt::cluster
