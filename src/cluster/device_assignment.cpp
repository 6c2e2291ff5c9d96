#include "cluster/device_assignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/narrow.h"
#include "device/error.h"

namespace wt::cluster {

using device::ValueError;

DeviceAssignment DeviceAssignment::build(const Topology& topology, const Computation& computation) {
  AssignedCores assigned = assign_cores(topology, computation);
  DeviceAssignment assignment(topology, std::move(assigned.cores));
  assignment.log_ = std::move(assigned.log);
  return assignment;
}

DeviceAssignment::DeviceAssignment(Topology topology, CoreAssignment core_assignment)
    : topology_(std::move(topology)), cores_(std::move(core_assignment)) {
  for (std::size_t replica = 0; replica < cores_.size(); ++replica) {
    if (cores_[replica].size() != cores_[0].size())
      throw ValueError(
          fmt::format("replica {} has {} cores and replica 0 has {}; all replicas must have the same number",
                      replica, cores_[replica].size(), cores_[0].size()));
    for (std::size_t core = 0; core < cores_[replica].size(); ++core) {
      const int task = topology_.task_ordinal_at_coordinates(cores_[replica][core]);
      if (task < 0)
        throw ValueError(fmt::format("there is no TPU at ({}), the coordinates of core {} of replica {}",
                                     fmt::join(cores_[replica][core], ", "), core, replica));
      replicas_[{task, narrow<int>(core)}].push_back(narrow<int>(replica));
    }
  }
}

const Coordinates& DeviceAssignment::coordinates(int replica, int logical_core) const {
  const bool is_there =
      replica >= 0 && replica < num_replicas() && logical_core >= 0 && logical_core < num_cores_per_replica();
  if (is_there) return cores_[static_cast<std::size_t>(replica)][static_cast<std::size_t>(logical_core)];
  throw ValueError(fmt::format("there is no core {} of replica {}: there are {} replicas of {} cores",
                               logical_core, replica, num_replicas(), num_cores_per_replica()));
}

std::vector<int> DeviceAssignment::lookup_replicas(int task, int logical_core) const {
  const auto found = replicas_.find({task, logical_core});
  if (found != replicas_.end()) return found->second;
  throw ValueError(fmt::format("Can not find any replica in task: {} contains logical_core: {} ", task,
                               logical_core));  // TensorFlow's text ends with a space
}

int DeviceAssignment::tpu_ordinal(int replica, int logical_core) const {
  return topology_.tpu_device_ordinal_at_coordinates(coordinates(replica, logical_core));
}

device::Name DeviceAssignment::host_device(int replica, int logical_core,
                                           const std::optional<std::string>& job) const {
  return topology_.cpu_device_name_at_coordinates(coordinates(replica, logical_core), job);
}

device::Name DeviceAssignment::tpu_device(int replica, int logical_core,
                                          const std::optional<std::string>& job) const {
  return topology_.tpu_device_name_at_coordinates(coordinates(replica, logical_core), job);
}

std::string print(const DeviceAssignment& assignment) {
  std::map<Coordinates, int> replica_at;
  for (int replica = 0; replica < assignment.num_replicas(); ++replica)
    for (int core = 0; core < assignment.num_cores_per_replica(); ++core)
      replica_at[assignment.coordinates(replica, core)] = replica;
  const platform::Shape& mesh = assignment.topology().mesh_shape();
  const std::size_t width = fmt::format("{}", std::max(assignment.num_replicas() - 1, 0)).size();
  const auto chip_at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    std::vector<std::string> cores;
    for (std::int32_t core = 0; core < mesh[3]; ++core) {
      const auto found = replica_at.find({x, y, z, core});
      const std::string shown = found == replica_at.end() ? "-" : fmt::format("{}", found->second);
      cores.push_back(fmt::format("{:>{}}", shown, width));
    }
    return fmt::format("{}", fmt::join(cores, ","));
  };
  std::string picture;
  for (std::int32_t z = 0; z < mesh[2]; ++z) {
    picture += fmt::format("z = {}\n", z);
    for (std::int32_t y = 0; y < mesh[1]; ++y) {
      for (std::int32_t x = 0; x < mesh[0]; ++x) picture += "  " + chip_at(x, y, z);
      picture += "\n";
    }
  }
  return picture;
}

}  // namespace wt::cluster
