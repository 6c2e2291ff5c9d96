#include "cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "cluster/roles.h"

namespace wt::cluster {

namespace {

using device::Kind;
using platform::Endpoint;
using platform::Platform;

constexpr std::string_view alone = "localhost";  // TensorFlow's job of a process without a cluster

// A task that drives a machine with all of its devices.
Task task_on(const Platform& platform, std::int32_t machine, std::string job, int index) {
  return {.job = std::move(job),
          .index = index,
          .machine = machine,
          .devices = platform.devices_of(machine),
          .host = platform.hosts_of(machine).front()};
}

// "1 task", "2 tasks".
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Throws InputError if there are more tasks than machines.
void check_machines(const Platform& platform, const ClusterSpec& spec, const Place& named_at) {
  std::int64_t tasks = 0;
  for (const Job& job : spec.as_dict()) tasks += static_cast<std::int64_t>(job.tasks.size());
  const std::int32_t machines = platform.machines();
  if (tasks <= machines) return;
  throw InputError(Problem{
      named_at,
      fmt::format("the cluster has {}, and {} has {}; every task drives a machine of its own",
                  counted(tasks, "task"), platform.name(), counted(machines, "machine")),
      platform.slice() != nullptr ? fmt::format("choose a slice of {} hosts or more, or name at most {}",
                                                tasks, counted(machines, "task"))
                                  : fmt::format("set \"machines\" of the platform to {}, or name at most {}",
                                                tasks, counted(machines, "task"))});
}

}  // namespace

Cluster cluster_of(const Platform& platform, const ClusterSpec& spec, const Place& named_at) {
  if (spec.is_empty()) return cluster_of(platform);
  check_machines(platform, spec, named_at);
  Cluster cluster{.platform = platform, .spec = spec};
  for (const Job& job : spec.as_dict()) {
    for (const auto& [index, address] : job.tasks) {
      const auto machine = narrow<std::int32_t>(cluster.tasks.size());
      cluster.tasks.push_back(task_on(platform, machine, job.name, index));
    }
  }
  return cluster;
}

Cluster cluster_of(const Platform& platform) {
  if (platform.machines() == 1 && platform.slice() == nullptr)
    return {.platform = platform, .tasks = {task_on(platform, 0, std::string(alone), 0)}};
  std::vector<std::string> addresses;
  for (std::int32_t machine = 0; machine < platform.machines(); ++machine)
    addresses.push_back(fmt::format("worker{}:2222", machine));
  return cluster_of(platform, ClusterSpec({job_of("worker", addresses)}));
}

const Task* find(const Cluster& cluster, std::string_view job, int index) {
  const auto found = std::find_if(cluster.tasks.begin(), cluster.tasks.end(),
                                  [&](const Task& task) { return task.job == job && task.index == index; });
  return found == cluster.tasks.end() ? nullptr : &*found;
}

std::vector<const Task*> tasks_of(const Cluster& cluster, std::string_view job) {
  std::vector<const Task*> tasks;
  for (const Task& task : cluster.tasks)
    if (task.job == job) tasks.push_back(&task);
  return tasks;
}

std::vector<const Task*> workers(const Cluster& cluster) {
  std::vector<const Task*> tasks;
  for (const std::string_view job : {alone, std::string_view("chief"), std::string_view("worker")})
    for (const Task* task : tasks_of(cluster, job)) tasks.push_back(task);
  return tasks;
}

std::vector<const Task*> services(const Cluster& cluster) {
  const std::vector<const Task*> training = workers(cluster);
  std::vector<const Task*> tasks;
  for (const Task& task : cluster.tasks)
    if (std::ranges::find(training, &task) == training.end()) tasks.push_back(&task);
  return tasks;
}

device::Name name(const Task& task) { return {.job = task.job, .replica = 0, .task = task.index}; }

device::Name host_name(const Task& task) { return device::host_of(name(task)); }

device::Name device_name(const Cluster& cluster, const Task& task, std::size_t device) {
  device::Name full = name(task);
  full.kind = cluster.platform.type(task.devices.at(device)).kind;
  full.index = narrow<int>(device);
  return full;
}

std::optional<Endpoint> endpoint(const Cluster& cluster, const device::Name& given, const Task& task) {
  const device::Name full = device::canonical(given, name(task));
  const Task* owner = find(cluster, *full.job, *full.task);
  if (owner == nullptr || *full.replica != 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(*full.index);
  if (index < owner->devices.size() && cluster.platform.type(owner->devices[index]).kind == *full.kind)
    return owner->devices[index];
  if (*full.kind == Kind::cpu && index == 0) return owner->host;
  return std::nullopt;
}

std::map<Kind, int> accelerators(const Cluster& cluster, const Task& task) {
  std::map<Kind, int> counts;
  for (const Endpoint device : task.devices) {
    const Kind kind = cluster.platform.type(device).kind;
    if (kind != Kind::cpu) ++counts[kind];
  }
  return counts;
}

}  // namespace wt::cluster
