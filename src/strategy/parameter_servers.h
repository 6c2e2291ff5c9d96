#pragma once
// A worker's step under ParameterServerStrategy: its variables are on the servers in turn, cut into shards
// where a partition says so, and rows of tables are looked up where the table is. Scenarios
// (strategy/rows/parameter_server.cpp) and programs (train/parameter_servers.h) lower their steps with it.

#include <string>
#include <vector>

#include "strategy/look_ups.h"
#include "strategy/shards.h"
#include "strategy/variable_servers.h"

namespace wt::strategy {

struct ParameterServers {
  std::string_view strategy{};         // for messages
  std::vector<std::string> devices{};  // of the servers
  model::Partition partition{};        // null: no variable is cut
  RowShare row_share{};                // null: all ids are equally likely
};

// The step of one of so many replicas of a worker, with its shards and look-ups.
Step placed_step(const Step& step, std::int64_t replicas, const ParameterServers& servers);

// `traced` has the step of each replica of the worker.
plan::Plan lower_with_parameter_servers(Steps traced, std::span<const Place> places,
                                        const ParameterServers& servers);

}  // namespace wt::strategy
