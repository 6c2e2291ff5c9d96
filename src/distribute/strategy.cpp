#include "distribute/strategy.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/log.h"
#include "base/rough.h"
#include "cluster/roles.h"
#include "device/cpu/workers.h"
#include "device/error.h"
#include "distribute/input_options.h"
#include "scenario/own_log.h"
#include "strategy/options.h"
#include "train/distributed/workers.h"

namespace wt::distribute {

namespace {

// A device of the task that the program is.
const device::Name& own_device(const cluster::Machine& machine) {
  const auto own = std::ranges::find(machine.replicas, machine.own_task, &cluster::Replica::task);
  return own->device.name;
}

// The devices and the rules of variables that the base class wants to know.
train::Strategy::Traits traits_of(const Described& described, const scenario::Scenario& computed,
                                  const cluster::Machine& machine) {
  using train::Gathering, train::VariablePlacement;
  train::Strategy::Traits traits{.name = described.name,
                                 .variables = described.variables,
                                 .cross_device_ops = described.cross_device_ops};
  traits.eager_refusal = described.eager_refusal;
  for (const cluster::Replica& replica : machine.replicas) traits.devices.push_back(replica.device);
  if (machine.cluster && (machine.tasks > 1 || !computed.cluster.config.cluster.is_empty())) {
    traits.cluster = machine.cluster->spec;
    const device::Name& own = own_device(machine);
    traits.task_type = own.job;
    traits.task_id = own.task;
  }
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
      train::Strategy(traits_of(described, computed_, machine_)),
      resources_{.lower = [this](strategy::Steps steps) { return lowering_.lower(steps); },
                 .queues = *queue_,
                 .input = distribution(),
                 .variables = computed_.strategy->variables(),
                 .refusal_of_reduction = computed_.strategy->refusal_of_reduction(machine_),
                 .own_worker = machine_.own_task} {}

train::Function Strategy::function(std::string name, train::State& state, train::Function::Mode mode,
                                   train::Function::Body body, model::Semantics semantics) const {
  return {std::move(name), state, resources_, mode, std::move(body), semantics};
}

std::vector<std::string> Strategy::log() const { return scenario::own_log(computed_, machine_); }

data::DistributedDataset Strategy::experimental_distribute_dataset(
    const data::Dataset& dataset, const std::optional<data::InputOptions>& options) const {
  if (options) require_options_of_dataset(name(), *options);
  data::DistributedDataset distributed(dataset, distribution());
  for (const Problem& warning : distributed.warnings()) warn("{}; {}", warning.fact, warning.remedy);
  distributed.check_before_steps(require_outside_of_replicas);
  return distributed;
}

data::DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const data::InputContext&)>& function,
    const std::optional<data::InputOptions>& options) const {
  if (options) require_options_of_function(name(), *options);
  data::DistributedDataset distributed = data::DistributedDataset::from_function(
      function, distribution(), options ? replication(name(), *options) : data::InputReplication::per_worker);
  distributed.check_before_steps(require_outside_of_replicas);
  return distributed;
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
  Options& add(std::string_view key, std::optional<int> number) {
    if (number) out_.member(key, std::int64_t{*number});
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
    for (const Bytes limit : limits) {
      out.begin_object(json::Layout::compact);
      if (limit > Bytes(0)) out.member("memory_limit", fmt::format("{} B", limit.count()));
      out.end_object();
    }
    out.end_array();
  }
  return out.end_object().end_object().text();
}

// A machine of the platform for each task of the cluster.
std::string platform_of(const MultiWorkerMirroredOptions& options) {
  if (options.cluster_resolver == nullptr) return options.platform;
  const cluster::ClusterSpec spec = options.cluster_resolver->cluster_spec();
  int machines = spec.is_empty() ? 1 : 0;
  for (const cluster::Job& job : spec.as_dict()) machines += cluster::task_count(spec, job.name);
  return machines_of(options.platform, machines);
}

// The resolver's cluster as the text of a TF_CONFIG; nothing where there is none.
std::string cluster_of(const MultiWorkerMirroredOptions& options) {
  if (options.cluster_resolver == nullptr) return {};
  const cluster::ClusterResolver& resolver = *options.cluster_resolver;
  const cluster::ClusterSpec spec = resolver.cluster_spec();
  if (spec.is_empty()) return {};
  const auto type = resolver.task_type();
  const auto index = resolver.task_id();
  train::require_worker(spec, type, index);
  json::Writer out(json::Layout::compact);
  out.begin_object(json::Layout::compact).key("cluster").begin_object(json::Layout::compact);
  for (const cluster::Job& job : spec.as_dict()) {
    out.key(job.name).begin_object(json::Layout::compact);
    for (const auto& [number, address] : job.tasks) out.member(std::to_string(number), address);
    out.end_object();
  }
  out.end_object().key("task").begin_object(json::Layout::compact);
  return out.member("type", *type).member("index", *index).end_object().end_object().text();
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
                                   .add("num_packs", options.num_packs)
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
  if (options.bytes_per_pack < Bytes(0))
    throw device::ValueError(
        fmt::format("Argument `bytes_per_pack` must be >=0, Received {}.", options.bytes_per_pack.count()));
  if (!options.communication.empty() || options.bytes_per_pack > Bytes(0))
    written.object("communication_options", [&](json::Writer& out) {
      if (!options.communication.empty())
        out.member("implementation", strategy::implementations.name(
                                         strategy::communication_implementation(options.communication)));
      if (options.bytes_per_pack > Bytes(0)) out.member("bytes_per_pack", wt::print(options.bytes_per_pack));
    });
  return Strategy({.name = "CollectiveAllReduceStrategy",
                   .platform = platform_of(options),
                   .strategy = written.text(),
                   .cluster = cluster_of(options),
                   .cross_device_ops = strategy::CrossDeviceOps::collective_ring});
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
