#pragma once
// The devices of a replica in the words of a plan.

#include <optional>
#include <span>
#include <vector>

#include "cluster/machine.h"
#include "device/name.h"
#include "plan/plan.h"

namespace wt::strategy {

// Where a replica computes, and the task whose input pipeline feeds it.
struct Place {
  plan::Device device{};
  std::optional<plan::Device>
      host{};    // places with equal host names share the host; absent: the device is a CPU
  int task = 0;  // of the cluster
  device::Kind kind = device::Kind::gpu;
  std::vector<plan::Device> further{};  // logical devices 1, 2, ... of the replica, beside `device`
};

plan::Device planned(const device::LogicalDevice& device);
bool has_gpus_only(std::span<const Place> places);
std::vector<Place> places(const cluster::Machine& machine);  // one for each replica, in order
std::vector<Place> places(const std::vector<cluster::Replica>& replicas);
// The devices of each worker of a pool, and their hosts, in the same order.
std::vector<std::vector<plan::Device>> devices_of_workers(const cluster::Pool& pool);

}  // namespace wt::strategy
