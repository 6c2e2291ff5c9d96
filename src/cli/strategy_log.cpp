#include "cli/strategy_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/id.h"
#include "cluster/cluster.h"
#include "cluster/connect.h"
#include "cluster/tpu_resolver.h"
#include "strategy/devices.h"

namespace wt::cli {

namespace {

using cluster::Machine;
using scenario::Scenario;
using Lines = std::vector<std::string>;

std::string info(const std::string& text) { return "INFO:tensorflow:" + text; }

std::string quoted(const Lines& names) {
  Lines texts;
  for (const std::string& name : names) texts.push_back(cluster::python_repr(name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Python's tuple: of one thing, with a comma behind it.
std::string tuple(const Lines& names) {
  return fmt::format("({}{})", quoted(names), names.size() == 1 ? "," : "");
}

Lines replicas_of(const Machine& machine) {
  Lines names;
  for (const cluster::Replica& replica : machine.replicas) names.push_back(print(replica.device.name));
  return names;
}

Lines nothing(const Scenario&, const Machine&) { return {}; }

std::string mirrored_line(const Lines& devices) {
  return info("Using MirroredStrategy with devices " + tuple(devices));
}

// TensorFlow 2.0 says why it doesn't take NCCL; today it doesn't.
Lines of_mirrored(const Scenario& scenario, const Machine& machine) {
  Lines lines;
  const bool is_named = scenario.strategy.as<scenario::Mirrored>()->cross_device_ops.has_value();
  if (!is_named && model::is_on(model::Switch::nccl_or_one_device, scenario.semantics)) {
    std::vector<device::Name> devices;
    for (const cluster::Replica& replica : machine.replicas) devices.push_back(replica.device.name);
    device::Context context = machine.context;
    const std::string warning = strategy::select_cross_device_ops(devices, context).why;
    if (!warning.empty()) lines.push_back("WARNING:tensorflow:" + warning);
  }
  lines.push_back(mirrored_line(replicas_of(machine)));
  return lines;
}

Lines of_central_storage(const Scenario&, const Machine& machine) {
  const Lines devices = replicas_of(machine);
  const device::Name& own = machine.device().name;
  const device::Name variables = machine.center       ? machine.center->name
                                 : devices.size() > 1 ? device::host_of(own)
                                                      : own;
  return {info(
      fmt::format("ParameterServerStrategy (CentralStorageStrategy if you are using a single machine) with "
                  "compute_devices = [{}], variable_device = {}",
                  quoted(devices), cluster::python_repr(print(variables))))};
}

// The cluster that the scenario names, or the one that its platform has by itself.
cluster::ClusterSpec cluster_of(const Scenario& scenario, const Machine& machine) {
  const cluster::ClusterSpec& named = scenario.cluster.config.cluster;
  if (!named.is_empty() || !machine.platform) return named;
  return cluster::cluster_of(*machine.platform).spec;
}

// The first process's: it knows its own devices, and how many workers there are. Mirrored is its base class.
Lines of_multi_worker(const Scenario& scenario, const Machine& machine) {
  const auto& options = scenario.strategy.as<scenario::MultiWorkerMirrored>()->communication_options;
  const std::string communication =
      fmt::format("communication = CommunicationImplementation.{}", strategy::name(options.implementation));
  const device::Name& task = machine.context.task();
  const cluster::ClusterSpec spec = cluster_of(scenario, machine);
  const bool is_alone = spec.is_empty();
  const std::string prefix = is_alone ? "" : fmt::format("/job:{}/task:{}", *task.job, *task.task);
  Lines devices;
  for (const cluster::Replica& replica : machine.replicas)
    if (replica.task == 0)
      devices.push_back(fmt::format("{}/device:{}:{}", prefix, device::name(*replica.device.name.kind),
                                    *replica.device.name.index));
  if (is_alone)
    return {mirrored_line(devices),
            info(fmt::format("Single-worker MultiWorkerMirroredStrategy with local_devices = {}, {}",
                             tuple(devices), communication))};
  return {
      mirrored_line(devices),
      info(fmt::format("MultiWorkerMirroredStrategy with cluster_spec = {}, task_type = {}, task_id = {}, "
                       "num_workers = {}, local_devices = {}, {}",
                       cluster::print_dict(spec), cluster::python_repr(*task.job), *task.task, machine.tasks,
                       tuple(devices), communication))};
}

// experimental_connect_to_cluster, initialize_tpu_system, TPUStrategy: as a program calls them.
Lines of_tpu(const Scenario&, const Machine& machine) {
  const cluster::TPUClusterResolver resolver(*machine.platform, {.tpu = machine.platform->name()});
  Lines lines;
  for (const std::string& text : cluster::connect_to_cluster(resolver).log) lines.push_back(info(text));
  for (const std::string& text : cluster::initialize_tpu_system(resolver).log) lines.push_back(info(text));
  for (const std::string& text : cluster::describe(resolver.get_tpu_system_metadata()))
    lines.push_back(info(text));
  return lines;
}

struct LogRow {
  scenario::StrategyType type{};
  Lines (*lines)(const Scenario&, const Machine&) = nullptr;
};
constexpr std::array rows{
    LogRow{scenario::StrategyType::default_strategy, nothing},
    LogRow{scenario::StrategyType::one_device, nothing},
    LogRow{scenario::StrategyType::mirrored, of_mirrored},
    LogRow{scenario::StrategyType::central_storage, of_central_storage},
    LogRow{scenario::StrategyType::multi_worker_mirrored, of_multi_worker},
    LogRow{scenario::StrategyType::tpu, of_tpu},
};

}  // namespace

std::vector<std::string> strategy_log(const Scenario& scenario, const Machine& machine) {
  const LogRow& row = rows.at(index(scenario.strategy.type()));
  WT_EXPECT(row.type == scenario.strategy.type(), "the table of log lines is out of order");
  return row.lines(scenario, machine);
}

}  // namespace wt::cli
