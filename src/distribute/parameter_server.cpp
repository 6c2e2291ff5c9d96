#include "distribute/parameter_server.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "device/cpu/workers.h"

namespace wt::distribute {

namespace {

std::vector<device::LogicalDevice> replicas_of(const cluster::Machine& machine) {
  std::vector<device::LogicalDevice> devices;
  for (const cluster::Replica& replica : machine.replicas) devices.push_back(replica.device);
  return devices;
}

// The object "variable_partitioner" of a scenario.
void write(json::Writer& out, const model::FixedShardsPartitioner& fixed) {
  out.member("fixed_shards", fixed.num_shards);
}
void write(json::Writer& out, const model::MinSizePartitioner& min) {
  out.member("min_size", fmt::format("{} B", min.min_shard_bytes)).member("max_shards", min.max_shards);
}
void write(json::Writer& out, const model::MaxSizePartitioner& max) {
  out.member("max_size", fmt::format("{} B", max.max_shard_bytes));
  if (max.max_shards) out.member("max_shards", *max.max_shards);
}

// A partitioner that cuts nothing is left out, since a scenario refuses it.
std::string strategy_text(const std::optional<model::Partitioner>& partitioner) {
  json::Writer out(json::Layout::compact);
  out.begin_object(json::Layout::compact).member("type", "parameter_server");
  const auto* min = partitioner ? std::get_if<model::MinSizePartitioner>(&*partitioner) : nullptr;
  const bool cuts_nothing = min != nullptr && min->max_shards == 1;
  if (partitioner && !cuts_nothing) {
    out.key("variable_partitioner").begin_object(json::Layout::compact);
    std::visit([&](const auto& each) { write(out, each); }, *partitioner);
    out.end_object();
  }
  return out.end_object().text();
}

std::string devices_text(const std::vector<std::string>& visible) {
  if (visible.empty()) return {};
  json::Writer out(json::Layout::compact);
  out.begin_object(json::Layout::compact).key("visible").begin_array(json::Layout::compact);
  for (const std::string& device : visible) out.value(device);
  return out.end_array().end_object().text();
}

}  // namespace

ParameterServerStrategy::ParameterServerStrategy(const Described& described, train::ServerCounts counts,
                                                 model::Partition variable_partitioner)
    : Parts(described),
      train::ParameterServerStrategy(counts, std::move(variable_partitioner), replicas_of(machine_)),
      resources_{.lower = [this](strategy::Steps steps) { return lowering_.lower(steps); },
                 .queues = *queue_,
                 .input = input(),
                 .coordinated_workers = counts.workers} {}

train::Function ParameterServerStrategy::function(std::string name, train::State& state,
                                                  train::Function::Mode mode,
                                                  train::Function::Body body) const {
  return {std::move(name), state, resources_, mode, std::move(body)};
}

ParameterServerStrategy parameter_server(const ParameterServerOptions& options) {
  if (options.cluster_resolver == nullptr)
    throw InputError("a parameter server strategy has no cluster",
                     "give it a cluster_resolver, for example a SimpleClusterResolver");
  const train::ServerCounts counts = train::server_counts_of(*options.cluster_resolver);
  const model::Partition partition =
      options.variable_partitioner ? model::partition_by(*options.variable_partitioner) : model::Partition{};
  return {
      {.name = "ParameterServerStrategyV2",
       .platform = machines_of(options.platform, counts.workers + counts.servers + 1),
       .strategy = strategy_text(options.variable_partitioner),
       .devices = devices_text(options.visible_devices),
       .cluster = fmt::format(R"({{"worker": {}, "ps": {}, "chief": 1}})", counts.workers, counts.servers)},
      counts,
      partition};
}

}  // namespace wt::distribute
