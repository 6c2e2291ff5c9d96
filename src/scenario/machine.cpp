#include "scenario/machine.h"

#include <algorithm>
#include <memory>

#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cluster/cluster.h"
#include "cluster/device_assignment.h"
#include "cluster/roles.h"
#include "cluster/tpu_topology.h"
#include "platform/load.h"
#include "scenario/names.h"
#include "scenario/this_machine.h"
#include "strategy/devices.h"

namespace wt::scenario {

namespace {

using device::Kind;
using device::LogicalDevice;
using device::PhysicalDevice;

// What a process finds on its machine, and where that is.
struct Hardware {
  std::vector<PhysicalDevice> devices{};
  std::vector<platform::Endpoint> endpoints{};
};

// A machine's devices, and its host's CPU. Devices of one type share it.
class HardwareReader {
 public:
  explicit HardwareReader(const platform::Platform& platform) : platform_(platform) {}

  Hardware of(const cluster::Task& task) {
    Hardware hardware;
    for (const platform::Endpoint endpoint : task.devices) add(hardware, endpoint);
    const bool has_cpu = std::ranges::any_of(
        hardware.devices, [](const PhysicalDevice& device) { return device.kind == Kind::cpu; });
    if (!has_cpu) add(hardware, task.host);
    return hardware;
  }

 private:
  void add(Hardware& hardware, platform::Endpoint endpoint) {
    const device::DeviceType& type = platform_.type(endpoint);
    auto& shared = types_[&type];
    if (!shared) shared = std::make_shared<const device::DeviceType>(type);
    hardware.devices.push_back({.kind = type.kind, .type = shared});
    hardware.endpoints.push_back(endpoint);
  }

  const platform::Platform& platform_;
  std::map<const device::DeviceType*, std::shared_ptr<const device::DeviceType>> types_{};
};

class MachineBuilder {
 public:
  explicit MachineBuilder(const Scenario& scenario) : scenario_(scenario) {}

  cluster::Machine build() {
    if (const auto written = platform_of(scenario_)) {
      platform::Loaded loaded = platform::from_json(*written, scenario_.platform.folder);
      machine_.platform = std::move(loaded.platform);
      machine_.warnings = std::move(loaded.warnings);
      check_platform();
      problems_.throw_if_any();
      start_processes();
    } else {
      start(0, device::Name{.job = "localhost"}, {});
    }
    problems_.throw_if_any();
    machine_.tasks = static_cast<int>(processes_.size());
    choose_replicas();
    problems_.throw_if_any();
    settle_host();
    machine_.context = std::move(processes_.front());
    warn();
    return std::move(machine_);
  }

 private:
  const platform::Platform& platform() const { return *machine_.platform; }
  StrategyType type() const { return scenario_.strategy.type(); }
  bool is_for_workers() const {
    return type() == StrategyType::multi_worker_mirrored || type() == StrategyType::tpu;
  }

  // ---- Processes

  // What a strategy can't be carried by, whatever its devices are called.
  void check_platform() {
    const bool has_tpus = platform().slice() != nullptr;
    if (type() == StrategyType::tpu && !has_tpus)
      problems_.add(
          scenario_.place("strategy.type"),
          fmt::format("tpu trains on TPUs, and {} has none", platform().name()),
          "take mirrored for the devices of one machine, multi_worker_mirrored for those of several, or "
          "a platform with TPUs: tpu_v3");
    const bool is_for_one = type() == StrategyType::mirrored || type() == StrategyType::central_storage;
    if (is_for_one && platform().machines() > 1)
      problems_.add(scenario_.place("strategy.type"),
                    fmt::format("{} trains on the devices of one machine, and {} has {}", name_of(type()),
                                platform().name(), platform().machines()),
                    "take multi_worker_mirrored, or one machine: \"platform\": {\"file\": ..., \"set\": "
                    "{\"machines\": 1}}");
  }

  // A strategy for workers has one on each machine, or those of the cluster; others are one process, alone.
  void start_processes() {
    HardwareReader reader(platform());
    if (!is_for_workers()) {
      cluster::Task alone = cluster::cluster_of(platform()).tasks.front();
      start(0, device::Name{.job = "localhost"}, reader.of(alone), alone.host);
      return;
    }
    const bool has_cluster = type() == StrategyType::multi_worker_mirrored;
    if (has_cluster) check_cluster();
    problems_.throw_if_any();
    at("cluster", "name no more tasks than there are machines", [&] {
      const cluster::Cluster cluster = cluster::cluster_of(
          platform(), has_cluster ? scenario_.cluster.config.cluster : cluster::ClusterSpec{},
          scenario_.place("cluster"));
      for (const cluster::Task* task : cluster::workers(cluster))
        start(static_cast<int>(processes_.size()), cluster::name(*task), reader.of(*task), task->host);
    });
    if (processes_.empty() && !problems_.any())
      problems_.add(scenario_.place("cluster"), "the cluster has no workers",
                    "add them: {\"chief\": 1, \"worker\": 3}");
  }

  void check_cluster() {
    const cluster::TfConfig& config = scenario_.cluster.config;
    for (const cluster::Fault& fault : cluster::faults(config.cluster, config.task_type, config.task_index))
      problems_.add(scenario_.place("cluster"), fault.text, fault.remedy);
  }

  void start(int number, const device::Name& task, const Hardware& hardware,
             std::optional<platform::Endpoint> host = {}) {
    device::Context context(hardware.devices, {}, task);
    show(context);
    cut(context);
    problems_.throw_if_any();
    at("devices", "mend what \"devices\" says of it", [&] { context.initialise(); });
    problems_.throw_if_any();
    for (const LogicalDevice& device : context.list_logical_devices())
      if (host)
        machine_.endpoints.emplace(print(device.name), place_of(device.physical, hardware).value_or(*host));
    WT_EXPECT(number == std::ssize(processes_), "process {} is started as number {}", number,
              processes_.size());
    processes_.push_back(std::move(context));
  }

  // Physical devices keep the order of the machine, counted by kind.
  static std::optional<platform::Endpoint> place_of(const PhysicalDevice& physical,
                                                    const Hardware& hardware) {
    int slot = physical.slot;
    for (std::size_t i = 0; i < hardware.devices.size(); ++i)
      if (hardware.devices[i].kind == physical.kind && slot-- == 0) return hardware.endpoints[i];
    return std::nullopt;
  }

  // A program's CPU:0 is all sockets together, and here the first one; of a replica that is alone, its own.
  void settle_host() {
    if (!machine_.platform || machine_.replicas.size() > 1) return;
    const device::Name& name = machine_.device().name;
    if (name.kind == Kind::cpu) return;
    machine_.endpoints[print(device::host_of(name))] =
        platform().host_of(machine_.endpoints.find(print(name))->second);
  }

  // ---- Replicas

  void choose_replicas() {
    device::Context& first = processes_.front();
    switch (type()) {
      case StrategyType::default_strategy:
        return add(best(first.list_logical_devices()), 0);
      case StrategyType::one_device: {
        const auto& device = scenario_.strategy.as<OneDevice>()->device;
        return add(device ? named(first, *device, "device") : best(first.list_logical_devices()), 0);
      }
      case StrategyType::mirrored:
        return add_mirrored(*scenario_.strategy.as<Mirrored>());
      case StrategyType::central_storage:
        return add_central_storage(*scenario_.strategy.as<CentralStorage>());
      case StrategyType::multi_worker_mirrored:
        return add_workers();
      case StrategyType::tpu:
        return add_tpus();
    }
  }

  void add(const LogicalDevice& device, int task) { machine_.replicas.push_back({device, task}); }

  void add_all(strategy::Kind kind, const std::optional<std::vector<std::string>>& written,
               std::string_view key) {
    device::Context& context = processes_.front();
    at(fmt::format("strategy.{}", key), "name each device once", [&] {
      if (written && written->empty())
        throw InputError("a strategy without devices computes nothing", "name them, or leave the key out");
      std::vector<strategy::GivenDevice> names;
      for (const std::string& name : written.value_or(std::vector<std::string>{}))
        names.push_back(print(named(context, name, key).name));
      if (problems_.any()) return;
      for (const device::Name& name : strategy::worker_devices({.kind = kind, .devices = names}, context))
        add(*context.find(name), 0);
    });
  }

  void add_mirrored(const Mirrored& mirrored) {
    add_all(strategy::Kind::mirrored, mirrored.devices, "devices");
    if (!mirrored.reduce_to_device || problems_.any()) return;
    machine_.center = named(processes_.front(), *mirrored.reduce_to_device, "reduce_to_device");
    const device::Name& name = machine_.center->name;
    const bool is_replicas = std::ranges::any_of(
        machine_.replicas, [&](const cluster::Replica& replica) { return replica.device.name == name; });
    if (!is_replicas && name != device::host_of(name))
      problems_.add(scenario_.place("strategy.reduce_to_device"),
                    fmt::format("no replica is on {}", print(name)),
                    "name a replica's device, or the host: \"/CPU:0\"");
  }

  void add_central_storage(const CentralStorage& storage) {
    add_all(strategy::Kind::central_storage, storage.compute_devices, "compute_devices");
    if (storage.parameter_device)
      machine_.center = named(processes_.front(), *storage.parameter_device, "parameter_device");
  }

  // TensorFlow takes a worker's GPUs, and its first CPU where it has none.
  void add_workers() {
    for (std::size_t task = 0; task < processes_.size(); ++task) {
      std::vector<LogicalDevice> devices = processes_[task].list_logical_devices(Kind::gpu);
      if (devices.empty()) devices = {processes_[task].list_logical_devices(Kind::cpu).front()};
      for (const LogicalDevice& device : devices) add(device, static_cast<int>(task));
    }
  }

  // In the order of the torus, so that neighbours are neighbours; the cores of a chip first: a DeviceAssignment of as
  // many replicas as there is room for, whose order of devices is MESH.
  void add_tpus() {
    if (!machine_.platform)
      return problems_.add(scenario_.place("strategy.type"), "tpu trains on TPUs, and this machine has none",
                           "add a platform: \"platform\": \"tpu_v3\"");
    at("platform", "take a platform of one slice", [&] {
      const cluster::Topology topology = cluster::topology_of(platform());
      const std::optional<cluster::Computation> computation = computation_on(topology.mesh_shape());
      if (!computation) return;
      machine_.computation_shape = computation->computation_shape;
      add_assigned(cluster::DeviceAssignment::build(topology, *computation));
    });
  }

  // All of the slice, or a problem.
  std::optional<cluster::Computation> computation_on(const platform::Shape& mesh) {
    cluster::Computation computation{.device_order_mode = cluster::DeviceOrder::mesh};
    const auto& written = scenario_.strategy.as<Tpu>()->computation_shape;
    if (written) computation.computation_shape.assign(written->begin(), written->end());
    const std::vector<int>& shape = computation.computation_shape;
    if (shape.size() != cluster::mesh_rank) {
      problems_.add(scenario_.place("strategy.computation_shape"),
                    fmt::format("a slice has four axes, (x, y, z, core), and here are {}", shape.size()),
                    fmt::format("this one is [{}]", fmt::join(mesh.extents, ", ")));
      return std::nullopt;
    }
    std::vector<int> fits = shape;
    for (std::size_t axis = 0; axis < fits.size(); ++axis)
      while (mesh[axis] % fits[axis] != 0) --fits[axis];
    for (std::size_t axis = 0; axis < fits.size(); ++axis)
      computation.num_replicas *= mesh[axis] / fits[axis];
    if (fits == shape) return computation;
    problems_.add(scenario_.place("strategy.computation_shape"),
                  fmt::format("replicas of [{}] cores don't divide {}'s slice of [{}]",
                              fmt::join(shape, ", "), platform().name(), fmt::join(mesh.extents, ", ")),
                  fmt::format("each number divides that of its axis, (x, y, z, core): [{}] makes {}",
                              fmt::join(fits, ", "), counted(computation.num_replicas, "replica")));
    return std::nullopt;
  }

  // A replica is fed by the host of its first core; hosts that feed none read no rows.
  void add_assigned(const cluster::DeviceAssignment& assignment) {
    std::map<int, int> feeding;  // task of the cluster to task that feeds
    for (int replica = 0; replica < assignment.num_replicas(); ++replica)
      feeding.emplace(*assignment.host_device(replica).task, 0);
    machine_.tasks = 0;
    for (auto& [task, number] : feeding) number = machine_.tasks++;
    for (int replica = 0; replica < assignment.num_replicas(); ++replica) {
      const auto core = [&](int logical) {
        const device::Name name = assignment.tpu_device(replica, logical);
        return processes_[static_cast<std::size_t>(*name.task)].list_logical_devices(
            Kind::tpu)[static_cast<std::size_t>(*name.index)];
      };
      add(core(0), feeding[*assignment.host_device(replica).task]);
      for (int logical = 1; logical < assignment.num_cores_per_replica(); ++logical)
        machine_.replicas.back().further.push_back(core(logical));
    }
  }

  // ---- Warnings

  void warn() {
    device::Context& context = machine_.context;
    const bool computes_on_cpu = machine_.device().name.kind == Kind::cpu;
    if (computes_on_cpu && !context.list_logical_devices(Kind::tpu).empty())
      machine_.warnings.push_back({scenario_.place("strategy"),
                                   "without tpu strategy TensorFlow runs on the CPU and leaves TPUs alone",
                                   R"("strategy": {"type": "tpu"})"});
    if (scenario_.cluster.written && type() != StrategyType::multi_worker_mirrored)
      machine_.warnings.push_back({scenario_.place("cluster"),
                                   fmt::format("{} doesn't ask for it", name_of(type())),
                                   R"("strategy": {"type": "multi_worker_mirrored"})"});
    if (const auto* mirrored = scenario_.strategy.as<Mirrored>()) warn_of_dropped_device(*mirrored);
  }

  // tf_distribute.md F7: groups of n / 2 devices leave the last of an odd number out.
  void warn_of_dropped_device(const Mirrored& mirrored) {
    const bool is_hierarchical = named_ops(mirrored) == strategy::CrossDeviceOps::hierarchical_copy;
    if (!is_hierarchical || !mirrored.faithful || machine_.replicas.size() % 2 == 0 ||
        machine_.replicas.size() == 1)
      return;
    machine_.warnings.push_back(
        {scenario_.place("strategy.cross_device_ops"),
         fmt::format(
             "HierarchicalCopyAllReduce leaves the gradients of {} out of the sum: with an odd number of "
             "devices the last one is in neither half, in TensorFlow too",
             print(machine_.replicas.back().device.name)),
         R"("faithful": false adds them all)"});
  }

  // What the runtime refuses is told at the key that asked for it; its own words have no remedy.
  template <class Call>
  void at(std::string_view key, std::string_view remedy, Call call) {
    try {
      call();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(scenario_.place(key), problem.fact,
                      problem.remedy.empty() ? std::string(remedy) : problem.remedy);
    }
  }

  // The physical device that a file calls "GPU:0".
  std::optional<PhysicalDevice> physical(const device::Context& context, const std::string& name,
                                         std::string_view key) {
    std::vector<std::string> known;
    for (const PhysicalDevice& device : context.list_physical_devices()) {
      known.push_back(fmt::format("{}:{}", device::name(device.kind), device.index));
      if (known.back() == name) return device;
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    problems_.add(scenario_.place(key), fmt::format("there is no physical device \"{}\"", printable(name)),
                  did_you_mean(name, names));
    return std::nullopt;
  }

  // The CPU is always there, whether the list names it or not.
  void show(device::Context& context) {
    if (!scenario_.devices.visible) return;
    std::vector<PhysicalDevice> visible;
    for (const PhysicalDevice& device : context.list_physical_devices(Kind::cpu)) visible.push_back(device);
    for (const std::string& name : *scenario_.devices.visible) {
      const auto device = physical(context, name, "devices.visible");
      if (device && device->kind != Kind::cpu) visible.push_back(*device);
    }
    at("devices.visible", "name physical devices: \"GPU:0\"", [&] { context.set_visible_devices(visible); });
  }

  void cut(device::Context& context) {
    for (const auto& [name, pieces] : scenario_.devices.logical) {
      const std::string key = "devices.logical." + name;
      const auto device = physical(context, name, key);
      if (!device) continue;
      device::LogicalDeviceConfigurations configurations;
      for (const scenario::LogicalDevice& piece : pieces.cut) {
        auto& configuration = configurations.emplace_back();
        if (piece.memory_limit) configuration.memory_limit = piece.memory_limit->bytes;
      }
      at(key, "every piece of a GPU has a \"memory_limit\", and no piece of a CPU has one",
         [&] { context.set_logical_device_configuration(*device, configurations); });
    }
    if (!scenario_.devices.memory_growth) return;
    for (const PhysicalDevice& gpu : context.get_visible_devices(Kind::gpu))
      at("devices.memory_growth", "a GPU grows or is cut: leave one of the two out",
         [&] { context.set_memory_growth(gpu, true); });
  }

  // The device that a key of the strategy names; where there is none, some other, and a problem.
  LogicalDevice named(device::Context& context, const std::string& wanted, std::string_view key) {
    const Place place = scenario_.place(fmt::format("strategy.{}", key));
    const std::vector<LogicalDevice> all = context.list_logical_devices();
    std::vector<std::string> known;
    for (const LogicalDevice& device : all) known.push_back(device::short_name(device));
    const std::vector<std::string_view> names(known.begin(), known.end());
    try {
      if (const LogicalDevice* found = context.find(device::parse_name(wanted))) return *found;
      problems_.add(place, fmt::format("there is no device \"{}\"", printable(wanted)),
                    did_you_mean(wanted, names));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems_.add(place, problem.fact, problem.remedy);
    }
    return all.front();
  }

  // As TensorFlow's placer: GPUs before the CPU, lowest index first, and TPUs only where they are asked for.
  static LogicalDevice best(const std::vector<LogicalDevice>& all) {
    const auto gpu = std::find_if(all.begin(), all.end(),
                                  [](const LogicalDevice& device) { return device.name.kind == Kind::gpu; });
    return gpu == all.end() ? all.front() : *gpu;
  }

  const Scenario& scenario_;
  Problems problems_{};
  cluster::Machine machine_{};
  std::vector<device::Context> processes_{};
};

}  // namespace

cluster::Machine build_machine(const Scenario& scenario) { return MachineBuilder(scenario).build(); }

}  // namespace wt::scenario
