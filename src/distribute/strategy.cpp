#include "distribute/strategy.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/rough.h"
#include "cluster/roles.h"
#include "device/cpu/workers.h"

namespace wt::distribute {

namespace {

// The devices and the rules of variables that the base class wants to know.
train::Strategy::Traits traits_of(const Described& described, const cluster::Machine& machine) {
  using train::Gathering, train::VariablePlacement;
  train::Strategy::Traits traits{.name = described.name,
                                 .variables = described.variables,
                                 .cross_device_ops = described.cross_device_ops};
  traits.eager_refusal = described.eager_refusal;
  for (const cluster::Replica& replica : machine.replicas) traits.devices.push_back(replica.device);
  if (described.variables != VariablePlacement::on_parameter_device) return traits;
  const device::Name& first = traits.devices.front().name;
  traits.gathering = Gathering::by_concatenation;
  traits.parameter_device = machine.center              ? machine.center->name
                            : traits.devices.size() > 1 ? device::host_of(first)
                                                        : first;
  return traits;
}

}  // namespace

Strategy::Strategy(const Described& described)
    : Parts(described),
      train::Strategy(traits_of(described, machine_)),
      resources_{[this](strategy::Steps steps) { return lowering_.lower(steps); }, *queue_, distribution()} {}

train::Function Strategy::function(std::string name, train::State& state, train::Function::Mode mode,
                                   train::Function::Body body) const {
  return {std::move(name), state, resources_, mode, std::move(body)};
}

data::DistributedDataset Strategy::experimental_distribute_dataset(const data::Dataset& dataset) const {
  return {dataset, distribution()};
}

data::DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const data::InputContext&)>& function,
    data::InputReplication replication) const {
  return data::DistributedDataset::from_function(function, distribution(), replication);
}

// ---- The constructors

namespace {

// The object "strategy" of a scenario. Empty values are left out.
class Options {
 public:
  explicit Options(std::string_view type) { out_.begin_object(json::Layout::compact).member("type", type); }

  Options& add(std::string_view key, const std::string& text) {
    if (!text.empty()) out_.member(key, text);
    return *this;
  }
  Options& add(std::string_view key, const std::vector<std::string>& texts) {
    if (texts.empty()) return *this;
    out_.key(key).begin_array(json::Layout::compact);
    for (const std::string& text : texts) out_.value(text);
    out_.end_array();
    return *this;
  }
  template <class Write>
  Options& object(std::string_view key, const Write& write) {
    out_.key(key).begin_object(json::Layout::compact);
    write(out_);
    out_.end_object();
    return *this;
  }
  std::string text() {
    out_.end_object();
    return out_.text();
  }

 private:
  json::Writer out_{json::Layout::compact};
};

}  // namespace

namespace {

// The object "devices" of a scenario.
std::string logical_text(const LogicalDevices& logical) {
  if (logical.empty()) return {};
  json::Writer out(json::Layout::compact);
  out.begin_object(json::Layout::compact).key("logical").begin_object(json::Layout::compact);
  for (const auto& [device, limits] : logical) {
    out.key(device).begin_array(json::Layout::compact);
    for (const Bytes limit : limits)
      out.begin_object(json::Layout::compact)
          .member("memory_limit", fmt::format("{} B", limit.count()))
          .end_object();
    out.end_array();
  }
  return out.end_object().end_object().text();
}

// A machine of the platform for each worker.
std::string platform_of(const MultiWorkerMirroredOptions& options) {
  if (options.cluster_resolver == nullptr) return options.platform;
  const cluster::ClusterSpec spec = options.cluster_resolver->cluster_spec();
  return machines_of(options.platform,
                     cluster::task_count(spec, "chief") + cluster::task_count(spec, "worker"));
}

}  // namespace

Strategy default_strategy(const std::string& platform) {
  return Strategy({.name = "_DefaultDistributionStrategy",
                   .platform = platform,
                   .strategy = Options("default").text(),
                   .variables = train::VariablePlacement::on_its_device});
}

Strategy one_device(const OneDeviceOptions& options) {
  return Strategy({.name = "OneDeviceStrategy",
                   .platform = options.platform,
                   .strategy = Options("one_device").add("device", options.device).text(),
                   .devices = logical_text(options.logical),
                   .variables = train::VariablePlacement::on_its_device});
}

Strategy mirrored(const MirroredOptions& options) {
  return Strategy({.name = "MirroredStrategy",
                   .platform = options.platform,
                   .strategy = Options("mirrored")
                                   .add("devices", options.devices)
                                   .add("cross_device_ops", options.cross_device_ops)
                                   .text(),
                   .devices = logical_text(options.logical),
                   .cross_device_ops = options.cross_device_ops == "hierarchical_copy"
                                           ? strategy::CrossDeviceOps::hierarchical_copy
                                           : strategy::CrossDeviceOps::collective_nccl});
}

Strategy central_storage(const CentralStorageOptions& options) {
  return Strategy({.name = "CentralStorageStrategy",
                   .platform = options.platform,
                   .strategy = Options("central_storage")
                                   .add("compute_devices", options.compute_devices)
                                   .add("parameter_device", options.parameter_device)
                                   .text(),
                   .devices = logical_text(options.logical),
                   .variables = train::VariablePlacement::on_parameter_device});
}

Strategy multi_worker_mirrored(const MultiWorkerMirroredOptions& options) {
  Options written("multi_worker_mirrored");
  if (!options.communication.empty() || options.bytes_per_pack > Bytes(0))
    written.object("communication_options", [&](json::Writer& out) {
      if (!options.communication.empty()) out.member("implementation", options.communication);
      if (options.bytes_per_pack > Bytes(0)) out.member("bytes_per_pack", wt::print(options.bytes_per_pack));
    });
  return Strategy(
      {.name = "CollectiveAllReduceStrategy", .platform = platform_of(options), .strategy = written.text()});
}

namespace {

// The resolver of a TPU describes its slice, too.
std::function<void(const cluster::Machine&)> same_slice(const cluster::TPUClusterResolver* resolver) {
  if (resolver == nullptr) return {};
  return [resolver](const cluster::Machine& machine) {
    const cluster::Topology own = cluster::topology_of(*machine.platform);
    const cluster::Topology& given = resolver->topology();
    if (own.mesh_shape() == given.mesh_shape() && own.device_coordinates() == given.device_coordinates())
      return;
    const auto print = [](const cluster::Topology& topology) {
      return fmt::format("{} with {} cores each", counted(topology.num_tasks(), "host"),
                         topology.num_tpus_per_task());
    };
    throw InputError(fmt::format("the TPUClusterResolver is that of another slice: it has {}, and {} has {}",
                                 print(given), machine.platform->name(), print(own)),
                     "give both the same slice");
  };
}

}  // namespace

Strategy tpu(const TpuOptions& options) {
  return Strategy({.name = "TPUStrategyV2",
                   .platform = options.platform,
                   .strategy = Options("tpu").text(),
                   .eager_refusal =
                       "TPUStrategy.run(fn, ...) does not support pure eager execution. please make sure "
                       "the function passed into `strategy.run` is a `tf.function` or `strategy.run` is "
                       "called inside a `tf.function` if eager behavior is enabled.",
                   .check = same_slice(options.tpu_cluster_resolver)});
}

}  // namespace wt::distribute
