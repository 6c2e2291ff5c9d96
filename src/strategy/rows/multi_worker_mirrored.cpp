// tf.distribute.MultiWorkerMirroredStrategy: a copy of the variables on each device of several machines.

#include "strategy/multi_worker_mirrored.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/rough.h"
#include "cluster/cluster.h"
#include "strategy/collective_ops.h"
#include "strategy/cross_device_ops.h"
#include "strategy/rows/one_machine.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

class MultiWorkerMirrored final : public Cloned<MultiWorkerMirrored> {
 public:
  std::string_view name() const override { return "multi_worker_mirrored"; }

  void keys(KeyVisitor& visit) override;
  void complete() override {
    if (communication_) options_.implementation = *communication_;
    communication_.reset();
  }
  void check(const IsGiven&, const Report& report) const override { buckets_.check(report); }
  std::vector<std::string> ignored_options(const cluster::Machine& machine) const override;

  Processes processes() const override { return Processes::per_worker; }
  void add_replicas(Site& site) const override;
  Overrides resized(const Resizing& resizing) const override;

  plan::Plan lower(Steps steps, const Setting& setting) const override;
  std::optional<plan::Plan> lower_first_values(const Step& step,
                                               std::span<const Place> places) const override {
    return places.size() > 1 ? std::optional(lower_initial_broadcast(step, places)) : std::nullopt;
  }
  std::string obstacle_to_folding(const cluster::Machine&) const override { return ""; }
  std::optional<ReductionChoice> reduction(const Setting& setting) const override;
  std::optional<std::string> library_algorithm() const override { return name_or_none(algorithm_); }
  std::vector<Overrides> other_reductions(const IsGiven& is_given) const override;
  bool may_overlap() const override { return !buckets_.overlap.has_value(); }
  std::optional<RowGathering> gathers_rows(const Setting&) const override { return RowGathering{}; }
  std::optional<Overrides> in_packs() const override;

  bool asks_for_device() const override { return true; }
  bool outlives_workers() const override { return true; }
  std::optional<Seconds> collective_timeout() const override { return options_.timeout; }
  std::vector<std::string> log(const cluster::Machine& machine, model::Semantics,
                               const cluster::ClusterSpec& named) const override;

 private:
  CommunicationOptions options_{};
  std::optional<CommunicationImplementation> communication_{};  // short for options_.implementation
  std::optional<AlgorithmName> algorithm_{};                    // absent: what the library takes
  Buckets buckets_{};
};

// ---- Options

void MultiWorkerMirrored::keys(KeyVisitor& visit) {
  visit_object(visit,
               json::optional("communication_options", "tf.distribute.experimental.CommunicationOptions"),
               options_);
  visit_word(visit, json::optional("communication", "short for the implementation in communication_options"),
             communication_, implementations);
  visit.at_most_one({"communication_options", "communication"});
  visit_algorithm(visit, algorithm_);
  buckets_.keys(visit);
}

std::vector<std::string> MultiWorkerMirrored::ignored_options(const cluster::Machine& machine) const {
  if (!options_.timeout) return {};
  const std::string timeout = "\"communication_options.timeout\" is ignored: ";
  if (machine.replicas.size() == 1) return {timeout + "a single replica has no collectives"};
  if (!machine.platform) return {timeout + "without a platform no collective takes any time"};
  return {};
}

// ---- The machine

// TensorFlow takes the GPUs of a worker, and its first CPU where it has none.
std::vector<device::LogicalDevice> local_devices(device::Context& worker) {
  const std::vector<device::LogicalDevice> gpus = worker.list_logical_devices(device::Kind::gpu);
  return gpus.empty() ? std::vector{worker.list_logical_devices(device::Kind::cpu).front()} : gpus;
}

// "worker:1 has 8 GPUs".
std::string its_devices(device::Context& worker) {
  const std::vector<device::LogicalDevice> devices = local_devices(worker);
  return fmt::format("{}:{} has {}", *worker.task().job, *worker.task().task,
                     counted(std::ssize(devices), device::name(*devices.front().name.kind)));
}

// Each worker multiplies its own number of devices by the number of workers, and waits for as many in every
// collective (collective_all_reduce_strategy.py). Workers with different numbers would wait for ever.
bool are_workers_alike(Site& site) {
  std::vector<device::Context>& workers = site.processes();
  for (std::size_t i = 1; i < workers.size(); ++i) {
    const auto first = local_devices(workers[0]), other = local_devices(workers[i]);
    if (first.size() == other.size() && first[0].name.kind == other[0].name.kind) continue;
    site.report(
        "platform",
        fmt::format("{}, and {}: TensorFlow's workers have equally many devices of one kind, or their "
                    "collectives wait for ever",
                    its_devices(workers[0]), its_devices(workers[i])),
        fmt::format("leave the workers to equal machines, as in \"cluster\": {{\"worker\": {}}}, or "
                    "give the groups of machines equally many \"devices\"",
                    i));
    return false;
  }
  return true;
}

void MultiWorkerMirrored::add_replicas(Site& site) const {
  if (!are_workers_alike(site)) return;
  int task = 0;
  for (device::Context& worker : site.processes()) {
    for (const device::LogicalDevice& device : local_devices(worker)) site.add_replica(device, task);
    ++task;
  }
}

// The override that leaves a worker the first of its devices, as many as are wanted.
std::string visible_devices(const Resizing& resizing, int of_a_worker) {
  if (resizing.cuts_devices())
    resizing.refuse("devices.logical", "a worker's devices are cut into pieces",
                    fmt::format("write a multiple of {}", of_a_worker));
  std::vector<std::string> names;
  for (int i = 0; i < resizing.wanted(); ++i) {
    const device::PhysicalDevice& device =
        resizing.machine().replicas[static_cast<std::size_t>(i)].device.physical;
    names.push_back(fmt::format("\"{}:{}\"", device::name(device.kind), device.index));
  }
  return fmt::format("devices.visible=[{}]", fmt::join(names, ", "));
}

Overrides MultiWorkerMirrored::resized(const Resizing& resizing) const {
  const int wanted = resizing.wanted();
  const int each = resizing.now() / resizing.machine().tasks;
  if (resizing.is_given("cluster"))
    resizing.refuse("cluster", "the cluster says how many workers there are",
                    "leave it out: there is a worker on every machine then");
  if (wanted > each && wanted % each != 0)
    resizing.refuse("strategy.type", fmt::format("every worker has {}", counted(each, "device")),
                    fmt::format("write {} at most, or a multiple of it: {} is the next one", each,
                                (wanted / each + 1) * each));
  const int workers = std::max(1, wanted / each);
  if (resizing.is_virtual())
    return {fmt::format("platform.virtual.devices={}", wanted),
            fmt::format("platform.virtual.workers={}", workers)};
  Overrides overrides;
  if (workers != resizing.machine().tasks)
    overrides.push_back(resizing.set_platform("machines", std::to_string(workers)));
  if (wanted < each) overrides.push_back(visible_devices(resizing, each));
  return overrides;
}

// ---- A step

// The size of the example in TensorFlow's documentation of CommunicationOptions.
std::optional<Overrides> MultiWorkerMirrored::in_packs() const {
  if (options_.bytes_per_pack > Bytes(0) || buckets_.overlap) return std::nullopt;
  return Overrides{"strategy.communication=null",
                   fmt::format(R"(strategy.communication_options.implementation="{}")",
                               implementations.name(options_.implementation)),
                   R"(strategy.communication_options.bytes_per_pack="50 MiB")"};
}

plan::Plan MultiWorkerMirrored::lower(Steps steps, const Setting& setting) const {
  MultiWorkerMirroredOptions options{.implementation = options_.implementation,
                                     .packing = buckets_.packing(),
                                     .nccl = setting.library(name_or_none(algorithm_)),
                                     .stand_for = setting.stand_for};
  options.packing.bytes_per_pack = options_.bytes_per_pack;
  return lower_multi_worker_mirrored(steps, setting.places, options);
}

std::optional<ReductionChoice> MultiWorkerMirrored::reduction(const Setting& setting) const {
  const ChosenImplementation chosen = choose_implementation(options_.implementation, setting.places);
  ReductionChoice choice{.why = chosen.why};
  choice.is_librarys = chosen.implementation == CommunicationImplementation::nccl;
  choice.name = std::string(
      strategy::name(choice.is_librarys ? CrossDeviceOps::collective_nccl : CrossDeviceOps::collective_ring));
  if (!choice.is_librarys) choice.algorithm = collective_op(CollectiveType::reduce).algorithm;
  return choice;
}

// Under the key that the scenario uses for the implementation: the long one, or the short one.
std::vector<Overrides> MultiWorkerMirrored::other_reductions(const IsGiven& is_given) const {
  const std::string long_key = "strategy.communication_options.implementation";
  const std::string key = is_given(long_key) ? long_key : "strategy.communication";
  std::vector<Overrides> all{{key + "=ring"}};
  for (const char* algorithm : {"ring", "tree", "nvls_tree"})
    all.push_back({key + "=nccl", fmt::format("strategy.algorithm={}", algorithm)});
  return all;
}

// ---- The log

// The own task's: it knows its own devices, and how many workers there are. Mirrored is its base class.
std::vector<std::string> MultiWorkerMirrored::log(const cluster::Machine& machine, model::Semantics,
                                                  const cluster::ClusterSpec& named) const {
  const std::string communication =
      fmt::format("communication = CommunicationImplementation.{}", strategy::name(options_.implementation));
  const cluster::ClusterSpec spec =
      !named.is_empty() || !machine.platform ? named : cluster::cluster_of(*machine.platform).spec;
  const bool is_alone = spec.is_empty();
  const auto is_own = [&](const cluster::Replica& replica) { return replica.task == machine.own_task; };
  const device::Name& task = std::ranges::find_if(machine.replicas, is_own)->device.name;
  const std::string prefix = is_alone ? "" : fmt::format("/job:{}/task:{}", *task.job, *task.task);
  std::vector<std::string> devices;
  for (const cluster::Replica& replica : machine.replicas)
    if (is_own(replica))
      devices.push_back(fmt::format("{}/device:{}:{}", prefix, device::name(*replica.device.name.kind),
                                    *replica.device.name.index));
  const std::string local = python_tuple(devices);
  const std::string mirrored = info("Using MirroredStrategy with devices " + local);
  if (is_alone)
    return {mirrored,
            info(fmt::format("Single-worker MultiWorkerMirroredStrategy with local_devices = {}, {}", local,
                             communication))};
  return {mirrored, info(fmt::format(
                        "MultiWorkerMirroredStrategy with cluster_spec = {}, task_type = {}, task_id = {}, "
                        "num_workers = {}, local_devices = {}, {}",
                        cluster::print_dict(spec), cluster::python_repr(*task.job), *task.task, machine.tasks,
                        local, communication))};
}

}  // namespace

std::unique_ptr<Strategy> make_multi_worker_mirrored() { return std::make_unique<MultiWorkerMirrored>(); }

}  // namespace wt::strategy
