#include "scenario/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/narrow.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cluster/cluster.h"
#include "cluster/roles.h"
#include "platform/load.h"
#include "scenario/check.h"
#include "scenario/this_machine.h"

namespace wt::scenario {

namespace {

using device::Kind;
using device::LogicalDevice;
using device::PhysicalDevice;

// The devices that a process finds on its machine, and their endpoints in the platform.
struct Hardware {
  std::vector<PhysicalDevice> devices{};
  std::vector<platform::Endpoint> endpoints{};
};

// Reads the devices of a machine and the CPU of its host. Devices of one type share the type's data.
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

// Twice as many as the largest machines have. Each is described by a few kilobytes, with its name and memory.
constexpr int most_devices = 1 << 17;

class MachineBuilder final : public strategy::Site {
 public:
  explicit MachineBuilder(const Scenario& scenario) : scenario_(scenario) {}

  cluster::Machine build() {
    if (const auto written = platform_of(scenario_)) {
      platform::Loaded loaded = platform::from_json(*written, scenario_.platform.folder);
      machine_.platform = std::move(loaded.platform);
      machine_.warnings = std::move(loaded.warnings);
      machine_.notes = std::move(loaded.assumptions);
      scenario_.strategy->check_platform(platform(), report_to(problems_, scenario_));
      problems_.throw_if_any();
      start_processes();
    } else if (scenario_.strategy->processes() == strategy::Processes::with_servers) {
      report("strategy.type", fmt::format("{} needs machines that are described", scenario_.strategy->name()),
             R"(name them and their tasks: "platform": {"file": "dgx1_p100", "set": {"machines": 4}}, )"
             R"("cluster": {"worker": 2, "ps": 1, "chief": 1})");
    } else {
      start(device::Name{.job = "localhost"}, {});
    }
    problems_.throw_if_any();
    machine_.tasks = narrow<int>(processes_.size());
    scenario_.strategy->add_replicas(*this);
    problems_.throw_if_any();
    if (machine_.pool) machine_.tasks = 1;
    if (machine_.pool && machine_.platform) check_equal_workers();
    problems_.throw_if_any();
    settle_host();
    machine_.context = processes_.front();
    note_choice();
    note_types();
    note_cut();
    warn_of_idle_tasks();
    warn_of_unused();
    scenario_.strategy->warn(*this);
    problems_.throw_if_any();
    return std::move(machine_);
  }

  // ---- What the strategy uses

  std::vector<device::Context>& processes() override { return processes_; }
  cluster::Machine& machine() override { return machine_; }
  bool has_problems() const override { return problems_.any(); }
  void report(std::string_view key, std::string fact, std::string remedy) override {
    problems_.add(scenario_.place(key), std::move(fact), std::move(remedy));
  }
  void warn(std::string_view key, std::string fact, std::string remedy) override {
    machine_.warnings.push_back({scenario_.place(key), std::move(fact), std::move(remedy)});
  }

  // What the runtime refuses is reported at the key that led to it; the runtime's own words have no remedy.
  void at(std::string_view key, std::string_view remedy, const std::function<void()>& call) override {
    try {
      call();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        report(key, problem.fact, problem.remedy.empty() ? std::string(remedy) : problem.remedy);
    }
  }

  LogicalDevice named(device::Context& context, const std::string& wanted, std::string_view option) override {
    const std::string key = fmt::format("strategy.{}", option);
    const std::vector<LogicalDevice> all = context.list_logical_devices();
    std::vector<std::string> known;
    for (const LogicalDevice& device : all) known.push_back(device::short_name(device));
    const std::vector<std::string_view> names(known.begin(), known.end());
    try {
      if (const LogicalDevice* found = context.find(device::parse_name(wanted))) return *found;
      report(key, fmt::format("there is no device \"{}\"", printable(wanted)), did_you_mean(wanted, names));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) report(key, problem.fact, problem.remedy);
    }
    return all.front();
  }

 private:
  const platform::Platform& platform() const { return *machine_.platform; }

  // ---- Processes

  void start_processes() {
    HardwareReader reader(platform());
    const strategy::Processes wanted = scenario_.strategy->processes();
    if (wanted == strategy::Processes::alone) {
      cluster::Task alone = cluster::cluster_of(platform()).tasks.front();
      start(device::Name{.job = "localhost"}, reader.of(alone), alone.host);
      return;
    }
    if (platform().devices() > most_devices) {
      report("platform", fmt::format("{} are too many to train on", counted(platform().devices(), "device")),
             fmt::format("describe at most {}", most_devices));
      return;
    }
    const bool has_servers = wanted == strategy::Processes::with_servers;
    const bool has_cluster = wanted == strategy::Processes::per_worker || has_servers;
    if (has_cluster) check_cluster();
    if (has_servers) check_servers();
    if (wanted == strategy::Processes::per_worker && !problems_.any()) check_task();
    problems_.throw_if_any();
    at("cluster", "name no more tasks than there are machines", [&] {
      machine_.cluster = cluster::cluster_of(
          platform(), has_cluster ? scenario_.cluster.config.cluster : cluster::ClusterSpec{},
          scenario_.place("cluster"));
      const cluster::Cluster& cluster = *machine_.cluster;
      // A chief that is the coordinator hands out closures and computes nothing.
      const bool has_coordinator = scenario_.strategy->has_coordinator();
      const std::vector<const cluster::Task*> training =
          has_coordinator ? cluster::tasks_of(cluster, "worker") : cluster::workers(cluster);
      for (const cluster::Task* task : training) start(cluster::name(*task), reader.of(*task), task->host);
      for (const cluster::Task& task : cluster.tasks)
        if (std::ranges::find(training, &task) == training.end()) add_endpoints(task);
      for (const cluster::Task* task : cluster::tasks_of(cluster, "evaluator"))
        add_evaluator(context_of(cluster::name(*task), reader.of(*task), task->host));
    });
    if (wanted == strategy::Processes::per_worker && !problems_.any()) find_own_task();
    if (processes_.empty() && !problems_.any())
      problems_.add(scenario_.place("cluster"), "the cluster has no workers",
                    "add them: {\"chief\": 1, \"worker\": 3}");
  }

  void check_cluster() {
    const cluster::TfConfig& config = scenario_.cluster.config;
    if (config.cluster.is_empty())
      return;  // TensorFlow doesn't look at the task of a program without a cluster
    for (const cluster::Fault& fault : cluster::faults(config.cluster, config.task_type, config.task_index))
      problems_.add(scenario_.place("cluster"), fault.text, fault.remedy);
  }

  // The task that TF_CONFIG gives the program, as MultiWorkerMirroredStrategy checks it. A scenario without one
  // describes the cluster alone, and its log is the first worker's.
  void check_task() {
    const cluster::TfConfig& config = scenario_.cluster.config;
    if (config.cluster.is_empty()) return;
    constexpr std::string_view remedy = R"(name a task that trains: "task": {"type": "worker", "index": 0})";
    if (config.task_type.has_value() != config.task_index.has_value()) {
      report("cluster", std::string(cluster::needs_task), std::string(remedy));
    } else if (config.task_type == "evaluator") {
      report("cluster",
             "the program is the cluster's evaluator, and a scenario describes the training, whose results "
             "have the "
             "evaluator's evaluations",
             std::string(remedy));
    } else if (config.task_type) {
      at("cluster", remedy, [&] { cluster::worker_count(config.cluster, *config.task_type); });
      check_own_address();
    }
  }

  // Its server can't listen without a port.
  void check_own_address() {
    const cluster::TfConfig& config = scenario_.cluster.config;
    const cluster::Job* job = config.cluster.find(*config.task_type);
    if (job == nullptr || !job->tasks.contains(*config.task_index)) return;
    const std::string fault = cluster::fault_of_own_address(job->tasks.at(*config.task_index));
    if (!fault.empty()) report("cluster", fault, "write the address with a port: \"host1:2222\"");
  }

  void find_own_task() {
    const cluster::TfConfig& config = scenario_.cluster.config;
    if (config.cluster.is_empty() || !config.task_type) return;
    const auto found = std::ranges::find_if(processes_, [&](const device::Context& process) {
      return process.task().job == config.task_type && process.task().task == config.task_index;
    });
    if (found != processes_.end())
      machine_.own_task = narrow<int>(found - processes_.begin());
    else
      report("cluster", fmt::format("the cluster has no task {}:{}", *config.task_type, *config.task_index),
             "name one of its tasks");
  }

  // TensorFlow's strategies with servers check the jobs in their constructors.
  void check_servers() {
    const cluster::ClusterSpec& spec = scenario_.cluster.config.cluster;
    constexpr std::string_view remedy = R"(name the tasks: "cluster": {"worker": 4, "ps": 2, "chief": 1})";
    const Place place = scenario_.place(scenario_.cluster.written ? "cluster" : "strategy.type");
    if (const std::string fact = scenario_.strategy->refusal_of(spec); !fact.empty())
      problems_.add(place, fact, std::string(remedy));
  }

  void start(const device::Name& task, const Hardware& hardware,
             std::optional<platform::Endpoint> host = {}) {
    processes_.push_back(context_of(task, hardware, host));
  }

  // It computes on its first GPU, as a program without a strategy does, or else on its CPU.
  void add_evaluator(device::Context context) {
    for (const Kind kind : {Kind::gpu, Kind::cpu})
      if (const std::vector<LogicalDevice> devices = context.list_logical_devices(kind);
          !devices.empty() && !machine_.evaluator)
        machine_.evaluator = cluster::Replica{.device = devices.front()};
  }

  device::Context context_of(const device::Name& task, const Hardware& hardware,
                             std::optional<platform::Endpoint> host) {
    device::Context context(hardware.devices, {}, task);
    show(context);
    cut(context);
    problems_.throw_if_any();
    at("devices", "mend what \"devices\" says of it", [&] { context.initialise(); });
    problems_.throw_if_any();
    if (host) add_endpoints(context, hardware, *host);
    return context;
  }

  // Physical devices keep the order of the machine, and are counted by kind.
  void add_endpoints(device::Context& context, const Hardware& hardware, platform::Endpoint host) {
    std::map<Kind, std::vector<platform::Endpoint>> of_kind;
    for (std::size_t i = 0; i < hardware.devices.size(); ++i)
      of_kind[hardware.devices[i].kind].push_back(hardware.endpoints[i]);
    for (const LogicalDevice& device : context.list_logical_devices()) {
      const std::vector<platform::Endpoint>& all = of_kind[device.physical.kind];
      const auto slot = static_cast<std::size_t>(device.physical.slot);
      machine_.endpoints.emplace(print(device.name), slot < all.size() ? all[slot] : host);
    }
  }

  // The devices of a task that serves the others. It has all of its machine's.
  void add_endpoints(const cluster::Task& task) {
    machine_.endpoints.emplace(print(cluster::host_name(task)), task.host);
    for (std::size_t i = 0; i < task.devices.size(); ++i)
      machine_.endpoints.emplace(print(cluster::device_name(*machine_.cluster, task, i)), task.devices[i]);
  }

  // CPU:0 of a program is all sockets. Here it is the first socket, or the socket of the only replica.
  void settle_host() {
    if (!machine_.platform || machine_.replicas.size() > 1) return;
    const device::Name& name = machine_.device().name;
    if (name.kind == Kind::cpu) return;
    machine_.endpoints[print(device::host_of(name))] =
        platform().host_of(machine_.endpoints.find(print(name))->second);
  }

  // ---- Notes and warnings

  void note_choice() {
    if (scenario_.strategy_rule) machine_.notes.push_back({.fact = scenario_.chosen_strategy()});
  }

  // The first worker's step stands for those of all workers of a pool.
  void check_equal_workers() {
    const auto group_of = [&](const std::vector<cluster::Replica>& worker) {
      return platform().group_of(platform().machine_of(machine_.endpoint(print(worker.front().device.name))));
    };
    for (const std::vector<cluster::Replica>& worker : machine_.pool->workers) {
      if (group_of(worker) == group_of(machine_.replicas)) continue;
      report("cluster",
             fmt::format("workers of {} on unlike machines can't be timed yet", scenario_.strategy->name()),
             "give all workers machines of one group");
      return;
    }
  }

  // TensorFlow gives each logical device streams of its own, but no processors.
  void note_cut() {
    if (!machine_.platform) return;
    std::map<platform::Endpoint, std::vector<std::string>> replicas;
    for (const cluster::Replica& replica : machine_.replicas) {
      const std::string name = print(replica.device.name);
      if (const platform::Endpoint on = machine_.endpoint(name); platform().is_device(on))
        replicas[on].push_back(name);
    }
    for (const auto& [endpoint, names] : replicas) {
      if (names.size() < 2) continue;
      machine_.notes.push_back(
          {scenario_.place("devices"),
           fmt::format("{} replicas share one {}, which is cut, and compute on it in turns: together "
                       "they are no faster than the whole",
                       names.size(), platform().type(endpoint).product),
           ""});
      return;
    }
  }

  // Figures of a step that are stated for one device, such as its bound and MFU, are those of replica 0's.
  void note_types() {
    if (!machine_.platform) return;
    std::vector<std::string_view> types;
    for (const cluster::Replica& replica : machine_.replicas) {
      const std::string_view id = platform().type(machine_.endpoint(print(replica.device.name))).id;
      if (std::ranges::find(types, id) == types.end()) types.push_back(id);
    }
    if (types.size() == 1) return;
    machine_.notes.push_back(
        {scenario_.place("platform"),
         fmt::format(
             "replicas compute on {}: a step takes as long as the slowest of them, and its compute, its "
             "bound, MFU and efficiency are stated for {}",
             fmt::join(types, " and "), types.front())});
  }

  void warn_of_unused() {
    device::Context& context = machine_.context;
    const bool computes_on_cpu = machine_.device().name.kind == Kind::cpu;
    if (computes_on_cpu && !context.list_logical_devices(Kind::tpu).empty())
      warn("strategy", "without tpu strategy TensorFlow runs on the CPU and leaves TPUs alone",
           R"("strategy": {"type": "tpu"})");
    const strategy::Processes processes = scenario_.strategy->processes();
    const bool reads_cluster =
        processes == strategy::Processes::per_worker || processes == strategy::Processes::with_servers;
    if (scenario_.cluster.written && !reads_cluster)
      warn("cluster", fmt::format("{} doesn't ask for it", scenario_.strategy->name()),
           R"("strategy": {"type": "multi_worker_mirrored"})");
  }

  // Jobs that TensorFlow's synchronous workers leave alone without a word.
  void warn_of_idle_tasks() {
    check_evaluator();
    check_checkpointing();
    if (!machine_.cluster || scenario_.strategy->processes() != strategy::Processes::per_worker) return;
    const auto idle = [&](std::string_view job) {
      return std::ssize(cluster::tasks_of(*machine_.cluster, job));
    };
    if (idle("ps") > 0)
      warn("cluster",
           fmt::format(
               "{} of the job \"ps\" will wait for ever: {} has no variables on servers, and TensorFlow "
               "doesn't object",
               counted(idle("ps"), "task"), scenario_.strategy->name()),
           R"(leave the job out, or take "strategy": {"type": "parameter_server"})");
  }

  // An evaluator takes checkpoints as they come, so the training neither evaluates nor says when to.
  void check_evaluator() {
    if (!machine_.evaluator) return;
    const std::optional<Evaluation>& evaluation = scenario_.training.evaluation;
    if (!evaluation || !scenario_.training.checkpointing) {
      warn("cluster", "the evaluator does nothing: it evaluates checkpoints beside the training",
           R"(add "checkpointing" and "evaluation" to "training", or leave the job out)");
      return;
    }
    const auto refuse = [&](std::string_view key, bool is_given) {
      if (is_given)
        report(key, "the cluster's evaluator evaluates each checkpoint that it finds when it is free",
               R"(leave it out, or the job "evaluator" out of the cluster)");
    };
    refuse("training.evaluation.every", evaluation->every.has_value());
    refuse("training.evaluation.from_checkpoint", evaluation->from_checkpoint);
    if (scenario_.training.checkpointing->every_steps)
      report("training.checkpointing.every_steps", "the cluster's evaluator evaluates whole epochs",
             R"(save after epochs, with "every")");
  }

  void check_checkpointing() {
    const auto& checkpointing = scenario_.training.checkpointing;
    if (machine_.pool && checkpointing && checkpointing->every_steps)
      report("training.checkpointing.every_steps",
             "workers that don't wait for each other are joined when an epoch ends",
             R"(save after epochs, with "every")");
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

  const Scenario& scenario_;
  Problems problems_{};
  cluster::Machine machine_{};
  std::vector<device::Context> processes_{};
};

}  // namespace

cluster::Machine build_machine(const Scenario& scenario) { return MachineBuilder(scenario).build(); }

}  // namespace wt::scenario
