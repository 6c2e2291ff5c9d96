#include "train/distributed/constructors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "device/error.h"
#include "train/distributed/workers.h"

namespace wt::train {

namespace {

using strategy::GivenDevice;

// TensorFlow's DeviceSpec takes a name apart at "/" and ":", and names the first part that it doesn't know.
void require_device_name(const std::string& name) {
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');) {
    if (part.empty()) continue;
    const std::string attribute = part.substr(0, part.find(':'));
    constexpr std::array<std::string_view, 4> known{"job", "replica", "task", "device"};
    if (std::ranges::find(known, attribute) != known.end() || device::kind_named(attribute)) continue;
    throw device::ValueError(fmt::format(
        "Unknown attribute '{}' is encountered while parsing the device spec: '{}'.", attribute, name));
  }
}

std::vector<device::LogicalDevice> logical(const std::vector<device::Name>& names, device::Context& context) {
  std::vector<device::LogicalDevice> devices;
  for (const device::Name& name : names) {
    const device::LogicalDevice* found = context.find(name);
    devices.push_back(found != nullptr ? *found : device::LogicalDevice{.name = name});
  }
  return devices;
}

Strategy::Traits traits(std::string name, const strategy::Choice& choice, device::Context& context) {
  for (const GivenDevice& device : choice.devices) require_device_name(device.name());
  Strategy::Traits made{.name = std::move(name)};
  made.devices = logical(strategy::worker_devices(choice, context), context);
  made.existing = context.list_logical_devices();
  return made;
}

// mirrored_strategy.py: all devices are of this process, or all are of one other, which eager programs can't have.
void require_one_process(const std::vector<GivenDevice>& devices) {
  std::set<std::string> tasks;
  bool any_local = false, all_local = true;
  for (const GivenDevice& device : devices) {
    const device::Name name = device::parse_name(device.name());
    const bool is_local = name.job.value_or("localhost") == "localhost";
    any_local = any_local || is_local;
    all_local = all_local && is_local;
    tasks.insert(fmt::format("{}/{}", name.job.value_or(""), name.task.value_or(0)));
  }
  if (any_local && !all_local)
    throw device::ValueError(
        "Local device should have only 'localhost' in the job field in device string. E.g. 'job:localhost' "
        "in "
        "/job:localhost/replica:0/task:0/device:CPU:0Devices cannot have mixed list of device strings "
        "containing "
        "both localhost and other job types such as worker, ps etc. ");
  if (tasks.size() > 1 && !all_local)
    throw device::RuntimeError(
        "In-graph multi-worker training with `MirroredStrategy` is not supported in eager mode.");
}

// TensorFlow makes variables of its collectives on the devices, where those of another process are unknown. A strategy
// whose own process has the job is that of a worker.
void require_own_task(const std::vector<device::LogicalDevice>& devices, const device::Context& context) {
  for (const device::LogicalDevice& device : devices)
    if (device.name.job != context.task().job || device.name.task != context.task().task)
      throw InvalidArgumentError(fmt::format("{} unknown device.", device::print(device.name)));
}

}  // namespace

strategy::CrossDeviceOps nccl_all_reduce(std::int64_t num_packs) {
  if (num_packs < 0)
    throw device::ValueError(
        fmt::format("NCCL all-reduce requires num_packs >= 0, but {} is specified", num_packs));
  return strategy::CrossDeviceOps::nccl;
}

strategy::CrossDeviceOps hierarchical_copy_all_reduce(std::int64_t num_packs) {
  if (num_packs < 0)
    throw device::ValueError(
        fmt::format("HierarchicalCopy requires num_packs >= 0, but {} is specified", num_packs));
  return strategy::CrossDeviceOps::hierarchical_copy;
}

Strategy::Traits mirrored(device::Context& context, const MirroredArguments& arguments) {
  for (const GivenDevice& device : arguments.devices) require_device_name(device.name());
  require_one_process(arguments.devices);
  Strategy::Traits made =
      traits("MirroredStrategy", {.kind = strategy::Kind::mirrored, .devices = arguments.devices}, context);
  require_own_task(made.devices, context);
  std::vector<device::Name> names;
  for (const device::LogicalDevice& device : made.devices) names.push_back(device.name);
  made.cross_device_ops =
      arguments.cross_device_ops.value_or(strategy::choose_cross_device_ops(names, context).ops);
  return made;
}

Strategy::Traits central_storage(device::Context& context, const CentralStorageArguments& arguments) {
  if (arguments.parameter_device) require_device_name(arguments.parameter_device->name());
  const strategy::Choice choice{.kind = strategy::Kind::central_storage,
                                .devices = arguments.compute_devices,
                                .parameter_device = arguments.parameter_device};
  Strategy::Traits made = traits("CentralStorageStrategy", choice, context);
  made.variables = VariablePlacement::on_parameter_device;
  made.parameter_device = strategy::parameter_devices(choice, context).front();
  made.gathering = Gathering::by_concatenation;
  return made;
}

Strategy::Traits one_device(device::Context& context, const GivenDevice& device) {
  Strategy::Traits made =
      traits("OneDeviceStrategy", {.kind = strategy::Kind::one_device, .devices = {device}}, context);
  made.variables = VariablePlacement::on_its_device;
  return made;
}

namespace {

// The tasks whose replicas a strategy has that is made by such a task.
std::vector<device::Name> training_tasks(const cluster::ClusterSpec& spec, const std::string& own_type,
                                         int own_id) {
  if (own_type == "evaluator") return {{.job = own_type, .replica = 0, .task = own_id}};
  std::vector<device::Name> tasks;
  for (const std::string_view job : {"chief", "worker"})
    if (const cluster::Job* found = spec.find(job))
      for (const auto& task : found->tasks)
        tasks.push_back({.job = std::string(job), .replica = 0, .task = task.first});
  return tasks;
}

std::vector<device::LogicalDevice> gpus_or_first_cpu(device::Context& context) {
  const std::vector<device::LogicalDevice> gpus = context.list_logical_devices(device::Kind::gpu);
  return gpus.empty() ? std::vector{context.list_logical_devices(device::Kind::cpu).front()} : gpus;
}

}  // namespace

Strategy::Traits multi_worker_mirrored(device::Context& context,
                                       const MultiWorkerMirroredArguments& arguments) {
  Strategy::Traits made{.name = "CollectiveAllReduceStrategy"};
  made.cross_device_ops = strategy::CrossDeviceOps::collective_ring;
  if (arguments.cluster_resolver != nullptr) made.cluster = arguments.cluster_resolver->cluster_spec();
  if (made.cluster.is_empty()) {
    made.devices = gpus_or_first_cpu(context);
    return made;
  }
  made.task_type = arguments.cluster_resolver->task_type();
  made.task_id = arguments.cluster_resolver->task_id();
  require_worker(made.cluster, made.task_type, made.task_id);
  if (context.is_initialised())
    throw device::RuntimeError("Collective ops must be configured at program startup");
  for (const device::Name& task : training_tasks(made.cluster, *made.task_type, *made.task_id))
    for (device::LogicalDevice device : gpus_or_first_cpu(context)) {
      device.name = device::canonical({.kind = device.name.kind, .index = device.name.index}, task);
      made.devices.push_back(std::move(device));
    }
  return made;
}

}  // namespace wt::train
