#include "strategy/parameter_servers.h"

#include <map>

namespace wt::strategy {

Step placed_step(const Step& step, std::int64_t replicas, const ParameterServers& servers) {
  return with_look_ups_at_tables(with_shards(step, servers.partition), replicas, servers.row_share);
}

plan::Plan lower_with_parameter_servers(Steps traced, std::span<const Place> places,
                                        const ParameterServers& servers) {
  std::map<const Step*, Step> placed;  // replicas with equal steps share one
  std::vector<const Step*> steps;
  for (const Step* step : traced) {
    const auto [at, is_new] = placed.try_emplace(step);
    if (is_new) at->second = placed_step(*step, std::ssize(traced), servers);
    steps.push_back(&at->second);
  }
  VariableServers storage{.strategy = servers.strategy,
                          .server_of = in_turn(*steps.front(), servers.devices.size()),
                          .adds_on_host = true,
                          .look_ups = LookUps::at_tables};
  for (const std::string& device : servers.devices) storage.servers.push_back({.name = device});
  return lower_with_servers(steps, places, storage);
}

}  // namespace wt::strategy
