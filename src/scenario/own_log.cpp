#include "scenario/own_log.h"

#include <fmt/format.h>

namespace wt::scenario {

namespace {

// Whether the program waits in tf.distribute.Server.join().
bool is_server(const Scenario& scenario) {
  const std::optional<std::string>& task = scenario.cluster.config.task_type;
  if (scenario.strategy->processes() != strategy::Processes::with_servers || !task) return false;
  return task == "ps" || (task == "worker" && scenario.strategy->has_coordinator());
}

}  // namespace

std::vector<std::string> own_log(const Scenario& scenario, const cluster::Machine& machine) {
  const cluster::TfConfig& config = scenario.cluster.config;
  if (!is_server(scenario)) return scenario.strategy->log(machine, scenario.semantics, config.cluster);
  // TensorFlow 2.15, distributed_runtime/rpc/grpc_server_lib.cc, as the recordings servers_* have it.
  return {fmt::format("Started server with target: grpc://{}",
                      config.cluster.task_address(*config.task_type, config.task_index.value_or(0)))};
}

}  // namespace wt::scenario
