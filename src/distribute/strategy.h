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
#include "cluster/tpu_resolver.h"
#include "distribute/described.h"

namespace wt::distribute {

class Strategy : private internal::Parts, public train::Strategy {
 public:
  // Throws InputError for a platform, a device or an option that isn't there, with TensorFlow's words where it has
  // some.
  explicit Strategy(const Described& described);

  // The devices on which the replicas compute, in the order of the replicas.
  const cluster::Machine& cluster() const { return machine_; }
  // The strategy's lowering, this host's queues, and how datasets are dealt out: what functions and Keras models take.
  // With `resources().faithful = true` they also repeat the faults of Keras (train/keras_faults.h).
  train::Resources& resources() const { return resources_; }
  data::Distribution distribution() const { return input(); }

  // tf.function for the body of `run`. Requires: strategy and state outlive it.
  train::Function function(std::string name, train::State& state, train::Function::Mode mode,
                           train::Function::Body body,
                           model::Semantics semantics = model::default_semantics) const;
  // What TensorFlow logs while a program makes this strategy, as "INFO:tensorflow:Using MirroredStrategy with devices ...".
  std::vector<std::string> log() const;

  // tf.distribute.Strategy.experimental_distribute_dataset.
  // Warns of data that is sharded twice, of workers with unequal inputs, and of rows that aren't batched. Its iterators
  // throw ValueError inside of a replica. Throws NotImplementedError and so on for options that the strategy doesn't take.
  data::DistributedDataset experimental_distribute_dataset(
      const data::Dataset& dataset, const std::optional<data::InputOptions>& options = {}) const;
  // tf.distribute.Strategy.distribute_datasets_from_function: a dataset for each worker, or for each replica.
  data::DistributedDataset distribute_datasets_from_function(
      const std::function<data::Dataset(const data::InputContext&)>& function,
      const std::optional<data::InputOptions>& options = {}) const;

  // The time of a step of a compiled loop of one's own on the described machine, with such arguments for each replica,
  // which may lack numbers. Throws device::ResourceExhaustedError if the step doesn't fit into a device's memory.
  timing::Simulated simulate(train::Function& step, const train::PerReplica& arguments,
                             Execution execution = Execution::function) const {
    return simulated(step, arguments, execution);
  }
  // The same for a body that computes at once (train/strategy.h): it is run once, numbers included, and what each replica
  // does, alone or in a merge_call, is lowered and timed (train/distributed/step_recorder.h). Under TPUStrategy, and inside
  // of a train::InsideFunction, it counts as a function.
  template <class Body, class... Arguments>
  requires std::invocable<Body, train::SelectedType<Arguments>...>
  auto simulate(const Body& body, const Arguments&... arguments) const -> timing::Simulated;
  // The same for a step of Keras' fit on a batch for all replicas together. Requires: the model is compiled, and has
  // this strategy's resources.
  timing::Simulated simulate(train::Model& model, const std::vector<Tensor>& batch) const {
    return simulated(model, batch);
  }

  // How long the first values of these variables take from the first replica to all others, when they are made. It is spent
  // once, and is in no step. 0: there is one copy, or there are more workers than session/first_values.h simulates.
  Seconds simulate_first_values(const train::State& state) const { return first_values(state); }

 private:
  mutable train::Resources resources_;
};

template <class Body, class... Arguments>
requires std::invocable<Body, train::SelectedType<Arguments>...>
auto Strategy::simulate(const Body& body, const Arguments&... arguments) const -> timing::Simulated {
  std::optional<train::InsideFunction> function;
  if (!traits().eager_refusal.empty()) function.emplace();
  std::vector<train::StepRecorder> steps(static_cast<std::size_t>(num_replicas_in_sync()));
  internal::record(*this, steps, body, arguments...);
  return simulated(steps);
}

// ---- The constructors. Options that are left out have TensorFlow's defaults. That of parameter servers, whose programs have
// a coordinator, is in distribute/parameter_server.h.

struct OneDeviceOptions {
  std::string platform{};
  std::string device = "GPU:0";
  LogicalDevices logical{};
};
struct MirroredOptions {
  std::string platform{};
  std::vector<std::string> devices{};  // none: all GPUs of the machine
  std::string cross_device_ops{};      // "nccl", "hierarchical_copy", "reduction_to_one_device"
  std::optional<int> num_packs{};      // of the first two
  LogicalDevices logical{};
};
struct CentralStorageOptions {
  std::string platform{};
  std::vector<std::string> compute_devices{};
  std::string parameter_device{};
  LogicalDevices logical{};
};
struct MultiWorkerMirroredOptions {
  // One machine, of which each task of the resolver's cluster has one. A resolver without a cluster, as of an unset
  // TF_CONFIG, stands for a single process. Without a resolver: a machine for each worker, as in {"file": "dgx_a100",
  // "set": {"machines": 2}}. What TensorFlow refuses of a cluster or of these options throws its errors
  // (train::require_worker). train/distributed/workers.h says what each worker sees.
  std::string platform{};
  std::string communication{};  // CommunicationImplementation: "AUTO", "RING", "NCCL"
  Bytes bytes_per_pack{};       // of CommunicationOptions
  const cluster::ClusterResolver* cluster_resolver = nullptr;
};
struct TpuOptions {
  std::string platform{};  // with its slice, as in {"file": "tpu_v3", "set": {"slice": "v3-8"}}
  // Refused with InputError if its topology isn't that of the platform.
  const cluster::TPUClusterResolver* tpu_cluster_resolver = nullptr;
};

Strategy default_strategy(const std::string& platform);
Strategy one_device(const OneDeviceOptions& options);
Strategy mirrored(const MirroredOptions& options);
Strategy central_storage(const CentralStorageOptions& options);
Strategy multi_worker_mirrored(const MultiWorkerMirroredOptions& options);
Strategy tpu(const TpuOptions& options);

}  // namespace wt::distribute
