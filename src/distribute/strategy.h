// distribute/ is tf.distribute for programs in C++: a strategy is an object that knows its machine, computes a step's
// numbers on this host, and says how long the step takes on the machine that is described.
//
//   const auto strategy = distribute::mirrored({.platform = "dgx_a100", .devices = {"GPU:0", "GPU:1"}});
//   const auto scope = strategy.scope();
//   train::State state(1);
//   train::Function step = strategy.function("train_step", state, train::Function::Mode::training, body);
//   const train::PerReplica losses = strategy.run(step, batch);                   // numbers
//   const timing::Simulated time = strategy.simulate(step, batch);                // time, of the same step
//   const Tensor loss = strategy.reduce(train::ReduceOp::sum, train::experimental_local_results(losses));
//
// Constructors have the names and the options of TensorFlow's. A scenario file with the same platform and strategy
// gives the same machine, plans and times: both are resolved by scenario/ and lowered by session/.
//
// Read next: train/strategy.h (scope, run, reduce, gather, contexts), train/function.h, train/state.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/resolver.h"
#include "session/lowering.h"
#include "timing/simulated.h"
#include "train/distributed/step_recorder.h"
#include "train/model.h"
#include "train/strategy.h"

namespace wt::distribute {

// The arguments of a constructor, in the form in which a scenario file has them.
struct Described {
  std::string name{};      // of the class in TensorFlow: "MirroredStrategy"
  std::string platform{};  // a name, or JSON
  std::string strategy{};  // an object
  std::string devices{};   // an object, or nothing
  std::string cluster{};   // an object in the form of TF_CONFIG, or nothing
  train::VariablePlacement variables = train::VariablePlacement::mirrored;
  strategy::CrossDeviceOps cross_device_ops = strategy::CrossDeviceOps::collective_nccl;
  std::string eager_refusal{};  // train::Strategy::Traits
};

// How a step runs: compiled, as a tf.function, or operation by operation, each of which the host launches by itself.
enum class Execution : std::uint8_t { function, eager };

namespace internal {

// What a strategy has before its base class can be made, which wants the number of replicas.
struct Parts {
  explicit Parts(const Described& described);
  ~Parts();

  scenario::Scenario computed{};  // by this host
  scenario::Scenario timed{};     // the same without numbers, so that tasks that are alike are played once
  cluster::Machine machine{};
  std::unique_ptr<device::Workers> workers{};
  std::unique_ptr<device::CpuQueue> queue{};
};

}  // namespace internal

class Strategy : private internal::Parts, public train::Strategy {
 public:
  // Throws InputError for a platform, a device or an option that isn't there, with TensorFlow's words where it has
  // some.
  explicit Strategy(const Described& described);

  // The devices on which the replicas compute, in the order of the replicas.
  const cluster::Machine& cluster() const { return machine; }
  // The strategy's lowering, this host's queues, and how datasets are dealt out: what functions and Keras models take.
  train::Resources& resources() const { return resources_; }
  data::Distribution distribution() const;

  // tf.function for the body of `run`. Requires: strategy and state outlive it.
  train::Function function(std::string name, train::State& state, train::Function::Mode mode,
                           train::Function::Body body,
                           model::Semantics semantics = model::default_semantics) const;
  // What TensorFlow logs while a program makes this strategy, as "INFO:tensorflow:Using MirroredStrategy with devices ...".
  std::vector<std::string> log() const;

  // tf.distribute.Strategy.experimental_distribute_dataset.
  data::DistributedDataset experimental_distribute_dataset(const data::Dataset& dataset) const;
  // tf.distribute.Strategy.distribute_datasets_from_function: a dataset for each worker, or for each replica.
  data::DistributedDataset distribute_datasets_from_function(
      const std::function<data::Dataset(const data::InputContext&)>& function,
      data::InputReplication replication = data::InputReplication::per_worker) const;

  // The time of a step of a compiled loop of one's own on the described machine, with such arguments for each replica,
  // which may lack numbers. Throws device::ResourceExhaustedError if the step doesn't fit into a device's memory.
  timing::Simulated simulate(train::Function& step, const train::PerReplica& arguments,
                             Execution execution = Execution::function) const;
  // The same for a body that computes at once (train/strategy.h): it is run once, numbers included, and what each replica
  // does is lowered and timed. Under TPUStrategy, and inside of a train::InsideFunction, it counts as a function. What a
  // merge_call does is done once for all replicas, and takes no time here.
  template <class Body, class... Arguments>
  requires std::invocable<Body, train::SelectedType<Arguments>...>
  auto simulate(const Body& body, const Arguments&... arguments) const -> timing::Simulated;
  // The same for a step of Keras' fit on a batch for all replicas together. Requires: the model is compiled, and has
  // this strategy's resources.
  timing::Simulated simulate(train::Model& model, const std::vector<Tensor>& batch) const;

 private:
  timing::Simulated simulated(strategy::Steps steps, std::int64_t rows, scenario::Loop loop,
                              Execution execution) const;
  timing::Simulated simulated(std::vector<train::StepRecorder>& recorded) const;

  mutable session::ScenarioLowering lowering_, timed_lowering_;
  mutable train::Resources resources_;
  mutable communication::KnownTimes known_{};
};

template <class Body, class... Arguments>
requires std::invocable<Body, train::SelectedType<Arguments>...>
auto Strategy::simulate(const Body& body, const Arguments&... arguments) const -> timing::Simulated {
  std::optional<train::InsideFunction> function;
  if (!traits().eager_refusal.empty()) function.emplace();
  std::vector<train::StepRecorder> steps(static_cast<std::size_t>(num_replicas_in_sync()));
  run_replicas([&](std::size_t replica) {
    const train::StepRecorder::Here here(steps[replica]);
    body(train::select_replica(arguments, replica)...);
  });
  return simulated(steps);
}

// ---- The constructors. Options that are left out have TensorFlow's defaults.

// tf.config.set_logical_device_configuration: the memory limits of the pieces that a device is cut into, {{"GPU:0",
// {1024_MiB, 1024_MiB}}}. The pieces are numbered through. A limit of 0 stands for a piece without one, as those of a CPU:
// {{"CPU:0", {Bytes(0), Bytes(0)}}}.
using LogicalDevices = std::map<std::string, std::vector<Bytes>>;

struct OneDeviceOptions {
  std::string platform{};
  std::string device = "GPU:0";
  LogicalDevices logical{};
};
struct MirroredOptions {
  std::string platform{};
  std::vector<std::string> devices{};  // none: all GPUs of the machine
  std::string cross_device_ops{};      // "nccl", "hierarchical_copy", "reduction_to_one_device"
  LogicalDevices logical{};
};
struct CentralStorageOptions {
  std::string platform{};
  std::vector<std::string> compute_devices{};
  std::string parameter_device{};
  LogicalDevices logical{};
};
struct MultiWorkerMirroredOptions {
  // One machine, of which each worker of the resolver has one. A resolver without a cluster, as of an unset TF_CONFIG,
  // stands for a single process. Without a resolver: a machine for each worker, as in {"file": "dgx_a100", "set":
  // {"machines": 2}}. An address whose port is no number throws InvalidArgumentError with TensorFlow's text.
  std::string platform{};
  std::string communication{};  // CommunicationImplementation: "auto", "ring", "nccl"
  Bytes bytes_per_pack{};       // of CommunicationOptions
  const cluster::ClusterResolver* cluster_resolver = nullptr;
};
struct TpuOptions {
  std::string platform{};  // with its slice, as in {"file": "tpu_v3", "set": {"slice": "v3-8"}}
};

Strategy default_strategy(const std::string& platform);
Strategy one_device(const OneDeviceOptions& options);
Strategy mirrored(const MirroredOptions& options);
Strategy central_storage(const CentralStorageOptions& options);
Strategy multi_worker_mirrored(const MultiWorkerMirroredOptions& options);
Strategy tpu(const TpuOptions& options);

}  // namespace wt::distribute
