#include "distribute/strategy.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "cluster/roles.h"
#include "device/cpu/workers.h"
#include "device/error.h"
#include "plan/memory_report.h"
#include "program/placement.h"
#include "scenario/own_log.h"
#include "scenario/parse.h"
#include "session/step_options.h"
#include "timing/simulation.h"

namespace wt::distribute {

namespace {

// A line of a scenario, or nothing.
std::string member(std::string_view key, const std::string& content) {
  return content.empty() ? "" : fmt::format("\"{}\": {},\n  ", key, content);
}

// The program's step takes the place of the model, the data and the loop, which a scenario has to name.
std::string scenario_text(const Described& described, std::string_view numerics) {
  const bool is_name = described.platform.find('{') == std::string::npos;
  const std::string platform = is_name ? json::quote(described.platform) : described.platform;
  return fmt::format(R"({{
  "name": "a program",
  "platform": {},
  "strategy": {},
  {}{}"model": "linear",
  "dataset": {{"type": "synthetic", "rows": 64, "repeat": -1}},
  "training": {{"loop": "custom", "loss": "mse", "optimizer": "sgd", "per_replica_batch": 1, "steps": 1}},
  "numerics": "{}"
}})",
                     platform, described.strategy, member("devices", described.devices),
                     member("cluster", described.cluster), numerics);
}

// The places of problems are in a text that the user never sees.
template <class Call>
auto without_places(const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    Problems problems;
    for (Problem problem : error.problems()) {
      problem.place = {};
      problems.add(problem);
    }
    problems.throw_if_any();
    throw;
  }
}

scenario::Scenario parsed(const Described& described, std::string_view numerics) {
  return without_places([&] { return scenario::parse(scenario_text(described, numerics), "the program"); });
}

std::int64_t rows_of(const train::PerReplica& arguments) {
  std::int64_t rows = 0;
  for (const std::vector<Tensor>& own : arguments)
    rows += own.empty() || own.front().shape().rank() == 0 ? 1 : own.front().shape()[0];
  return rows;
}

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

internal::Parts::Parts(const Described& described)
    : computed(parsed(described, "cpu")),
      timed(parsed(described, "none")),
      machine(without_places([&] { return scenario::build_machine(computed); })),
      workers(std::make_unique<device::Workers>(device::hardware_threads())),
      queue(std::make_unique<device::CpuQueue>(*workers)) {}

internal::Parts::~Parts() = default;

Strategy::Strategy(const Described& described)
    : Parts(described),
      train::Strategy(traits_of(described, machine)),
      lowering_(computed, machine),
      timed_lowering_(timed, machine),
      resources_{[this](strategy::Steps steps) { return lowering_.lower(steps); }, *queue, distribution()} {}

data::Distribution Strategy::distribution() const {
  return {.replicas = std::ssize(machine.replicas),
          .workers = machine.tasks,
          .goes_on_with_empty_replicas = computed.strategy->goes_on_with_empty_replicas()};
}

train::Function Strategy::function(std::string name, train::State& state, train::Function::Mode mode,
                                   train::Function::Body body, model::Semantics semantics) const {
  return {std::move(name), state, resources_, mode, std::move(body), semantics};
}

std::vector<std::string> Strategy::log() const { return scenario::own_log(computed, machine); }

data::DistributedDataset Strategy::experimental_distribute_dataset(const data::Dataset& dataset) const {
  return {dataset, distribution()};
}

data::DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const data::InputContext&)>& function,
    data::InputReplication replication) const {
  return data::DistributedDataset::from_function(function, distribution(), replication);
}

timing::Simulated Strategy::simulate(train::Function& step, const train::PerReplica& arguments,
                                     Execution execution) const {
  std::vector<const Step*> steps;
  for (std::size_t i = 0; i < arguments.size(); ++i) steps.push_back(&step.step_for(arguments, i));
  return simulated(steps, rows_of(arguments), scenario::Loop::custom, execution);
}

timing::Simulated Strategy::simulate(train::Model& model, const std::vector<Tensor>& batch) const {
  std::vector<const Step*> steps;
  for (std::size_t i = 0; i < machine.replicas.size(); ++i) steps.push_back(&model.training_step(batch, i));
  return simulated(steps, rows_of({batch}), scenario::Loop::fit, Execution::function);
}

timing::Simulated Strategy::simulated(std::vector<train::StepRecorder>& recorded) const {
  std::vector<Step> steps;
  for (train::StepRecorder& recorder : recorded) steps.push_back(std::move(recorder).finish());
  std::vector<const Step*> each;
  for (const Step& step : steps) each.push_back(&step);
  const auto execution = train::functions_here() > 0 ? Execution::function : Execution::eager;
  return simulated(each, std::ssize(steps), scenario::Loop::custom, execution);
}

timing::Simulated Strategy::simulated(strategy::Steps steps, std::int64_t rows, scenario::Loop loop,
                                      Execution execution) const {
  const plan::Plan plan = timed_lowering_.lower(steps);
  if (const auto shortage = plan::report_memory(plan).shortage)
    throw device::ResourceExhaustedError(shortage->message);
  scenario::Scenario run = timed;
  run.training.loop = loop;
  run.training.run_eagerly = execution == Execution::eager;
  timing::SimulationOptions options;
  options.rows = rows;
  options.copies = session::copies_of(run);
  options.software = session::software_of(run, machine);
  options.is_brought_together = timed.strategy->meets_in_collectives();
  options.known_collectives = &known_;
  return timing::simulate_step(plan, machine, options).summary;
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
    for (const Bytes limit : limits) {
      out.begin_object(json::Layout::compact);
      if (limit > Bytes(0)) out.member("memory_limit", fmt::format("{} B", limit.count()));
      out.end_object();
    }
    out.end_array();
  }
  return out.end_object().end_object().text();
}

// A machine of the platform for each worker.
std::string platform_of(const MultiWorkerMirroredOptions& options) {
  if (options.cluster_resolver == nullptr) return options.platform;
  const cluster::ClusterSpec spec = options.cluster_resolver->cluster_spec();
  const int workers =
      spec.is_empty() ? 1 : cluster::task_count(spec, "chief") + cluster::task_count(spec, "worker");
  return fmt::format(R"({{"file": {}, "set": {{"machines": {}}}}})", json::quote(options.platform), workers);
}

// TensorFlow starts a server for its own task, which listens on the task's port.
void require_port(const std::string& address) {
  const std::string port = address.substr(std::min(address.rfind(':'), address.size() - 1) + 1);
  if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
    throw InvalidArgumentError(fmt::format("Could not parse port for local server from \"{}\".", address));
}

// The resolver's cluster as the text of a TF_CONFIG; nothing where there is none.
std::string cluster_of(const MultiWorkerMirroredOptions& options) {
  if (options.cluster_resolver == nullptr) return {};
  const cluster::ClusterResolver& resolver = *options.cluster_resolver;
  const cluster::ClusterSpec spec = resolver.cluster_spec();
  if (spec.is_empty()) return {};
  const auto type = resolver.task_type();
  const auto index = resolver.task_id();
  if (type && index) require_port(spec.task_address(*type, *index));
  json::Writer out(json::Layout::compact);
  out.begin_object(json::Layout::compact).key("cluster").begin_object(json::Layout::compact);
  for (const cluster::Job& job : spec.as_dict()) {
    out.key(job.name).begin_array(json::Layout::compact);
    for (const auto& [number, address] : job.tasks) out.value(address);
    out.end_array();
  }
  out.end_object();
  if (type && index)
    out.key("task")
        .begin_object(json::Layout::compact)
        .member("type", *type)
        .member("index", *index)
        .end_object();
  return out.end_object().text();
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
  return Strategy({.name = "CollectiveAllReduceStrategy",
                   .platform = platform_of(options),
                   .strategy = written.text(),
                   .cluster = cluster_of(options)});
}

Strategy tpu(const TpuOptions& options) {
  return Strategy({.name = "TPUStrategyV2",
                   .platform = options.platform,
                   .strategy = Options("tpu").text(),
                   .eager_refusal =
                       "TPUStrategy.run(fn, ...) does not support pure eager execution. please make sure "
                       "the function passed into `strategy.run` is a `tf.function` or `strategy.run` is "
                       "called inside a `tf.function` if eager behavior is enabled."});
}

}  // namespace wt::distribute
