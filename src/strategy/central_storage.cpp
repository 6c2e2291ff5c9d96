#include "strategy/central_storage.h"

#include <fmt/format.h>

#include "strategy/variable_servers.h"

namespace wt::strategy {

namespace {

plan::Device parameter_device(std::span<const Place> places, const CentralStorageOptions& options) {
  if (options.parameter_device) return *options.parameter_device;
  if (places.size() == 1) return places[0].device;
  if (!places[0].host)
    throw InputError("[central_storage] several replicas keep their variables on a host, and there is none",
                     "give the places a host, or name a parameter device");
  return *places[0].host;
}

void check(std::span<const Place> places) {
  for (const Place& place : places)
    if (place.task != places[0].task)
      throw InputError(fmt::format("[central_storage] {} is in task {}, {} in task {}", places[0].device.name,
                                   places[0].task, place.device.name, place.task),
                       "take multi_worker_mirrored, or the devices of one machine");
}

}  // namespace

plan::Plan lower_central_storage(Steps steps, std::span<const Place> places,
                                 const CentralStorageOptions& options) {
  check_replicas("central_storage", steps, places);
  check(places);
  return lower_with_servers(steps, places,
                            {.strategy = "central_storage",
                             .servers = {parameter_device(places, options)},
                             .server_of = std::vector<std::size_t>(steps[0]->variables.size(), 0)});
}

}  // namespace wt::strategy
