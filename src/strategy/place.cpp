#include "strategy/place.h"

#include <algorithm>

namespace wt::strategy {

plan::Device planned(const device::LogicalDevice& device) {
  return {.name = print(device.name), .memory = device.memory};
}

bool has_gpus_only(std::span<const Place> places) {
  return std::ranges::all_of(places, [](const Place& place) { return place.kind == device::Kind::gpu; });
}

std::vector<Place> places(const cluster::Machine& machine) { return places(machine.replicas); }

std::vector<std::vector<plan::Device>> devices_of_workers(const cluster::Pool& pool) {
  std::vector<std::vector<plan::Device>> workers;
  for (const std::vector<cluster::Replica>& replicas : pool.workers) {
    std::vector<plan::Device>& devices = workers.emplace_back();
    for (const Place& place : places(replicas)) {
      devices.push_back(place.device);
      if (place.host) devices.push_back(*place.host);
    }
  }
  return workers;
}

std::vector<Place> places(const std::vector<cluster::Replica>& replicas) {
  std::vector<Place> places;
  for (const cluster::Replica& replica : replicas) {
    const device::Name& name = replica.device.name;
    Place& place = places.emplace_back(
        Place{.device = planned(replica.device), .task = replica.task, .kind = *name.kind});
    if (*name.kind != device::Kind::cpu) place.host = plan::Device{.name = print(device::host_of(name))};
    for (const device::LogicalDevice& device : replica.further) place.further.push_back(planned(device));
  }
  return places;
}

}  // namespace wt::strategy
