#pragma once
// tf.distribute.Strategy: scopes and contexts, run, and the reduction of what the replicas returned. A strategy here has a
// name, the devices of its replicas, and a rule for the copies of variables; distribute/strategy.h makes those of
// described machines. The errors have TensorFlow's text.
//
// `run` takes two kinds of functions. A C++ function is called once for each replica and computes at once, operation by
// operation, as in TensorFlow's eager mode. A train::Function (train/function.h) is traced and compiled into one plan, as a
// tf.function is, whose time can be simulated.
//
//   const auto scope = strategy.scope();
//   Variable total(constant(0.f), {.aggregation = Aggregation::sum});
//   strategy.run([&] { total.assign_add(constant(1.f)); });
//
//   const PerReplica losses = strategy.run(train_step, batch);
//   const Tensor loss = strategy.reduce(ReduceOp::sum, experimental_local_results(losses));
//
// Read next: train/distributed/replica_context.h, train/distributed/variable.h.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster_spec.h"
#include "strategy/cross_device_ops.h"
#include "train/distributed/replica_context.h"
#include "train/function.h"
#include "train/tensor_operations.h"

namespace wt::train {

class StrategyExtended;
class Variable;
struct VariableDeclaration;

using Values = std::vector<Tensor>;  // one per replica

// How `gather` brings the replicas' values together, which shows in what it refuses.
enum class Gathering : std::uint8_t {
  by_concatenation,  // on one device, as under central storage
  by_collectives     // as under mirrored strategies
};

// A variable on a server, or a shard of one: the rows from `first_row` on.
struct ServerPart {
  std::string name{};  // "table/part_0:0"
  TensorSpec spec{};
  std::int64_t first_row = 0;
  device::Name device{};
};

class Strategy {
 public:
  struct Traits {
    std::string name{};                            // of the class in TensorFlow
    std::vector<device::LogicalDevice> devices{};  // of the replicas, in their order
    // Further devices that the processes have. TensorFlow takes devices that no process has, and places their operations
    // and variables on the host. Unset: they have those of the replicas.
    std::optional<std::vector<device::LogicalDevice>> existing{};
    VariablePlacement variables = VariablePlacement::mirrored;
    device::Name parameter_device{};  // of VariablePlacement::on_parameter_device
    // Of VariablePlacement::on_servers: the servers, and where the parts of a new variable are.
    std::vector<device::Name> servers{};
    std::function<std::vector<ServerPart>(const VariableDeclaration& variable)> place_on_servers{};
    Gathering gathering = Gathering::by_collectives;
    strategy::CrossDeviceOps cross_device_ops = strategy::CrossDeviceOps::reduction_to_one_device;
    // The cluster whose workers train together, and the task that the program is (train/distributed/workers.h). Empty: a
    // program without a cluster.
    cluster::ClusterSpec cluster{};
    std::optional<std::string> task_type{};
    std::optional<int> task_id{};
    // TensorFlow's sentences about a strategy that programs with a loop of their own can't use, and about one that runs
    // only inside of a tf.function.
    std::string refusal{};
    std::string eager_refusal{};
  };

  explicit Strategy(Traits traits);
  // On CPU:0, CPU:1, ... of this host.
  Strategy(std::string name, std::int64_t num_replicas_in_sync, std::string refusal = {},
           Gathering gathering = Gathering::by_collectives);
  ~Strategy();
  Strategy(const Strategy&) = delete;  // scopes compare strategies by their address
  Strategy& operator=(const Strategy&) = delete;

  const std::string& name() const { return traits_.name; }
  const Traits& traits() const { return traits_; }
  std::int64_t num_replicas_in_sync() const { return std::ssize(traits_.devices); }
  StrategyExtended extended() const;

  // The scope lasts until it is destroyed. A scope of the same strategy may be entered inside. Throws
  // device::RuntimeError inside a scope of another strategy, and inside a function that `run` is tracing.
  // Throws NotImplementedError, as `run` does, if programs can't use the strategy.
  class Scope {
   public:
    explicit Scope(const Strategy& strategy);

   private:
    std::optional<Entered> entered_{};
  };
  [[nodiscard]] Scope scope() const { return Scope(*this); }

  // Calls body(arguments...) once for each replica, in replica context, with the replica's part of each argument
  // (train/distributed/values.h). Replicas run one at a time, in their order, and pause at merge_call and at what is made
  // of it: all_reduce, and assigning to a mirrored variable.
  template <class Body, class... Arguments>
  requires std::invocable<Body, SelectedType<Arguments>...>
  auto run(const Body& body, const Arguments&... arguments) const;

  // Runs the function on every replica. Its body is traced in replica context. Requires: the function's
  // machine has num_replicas_in_sync() replicas.
  PerReplica run(Function& function, const PerReplica& arguments) const;

  // The value that make(context) returns for each replica.
  template <class Make>
  auto experimental_distribute_values_from_function(const Make& make) const;

  // Reduces the replicas' values on the CPU of the host, in the order of the replicas, whatever the strategy.
  // TensorFlow's MirroredStrategy does the same; its all-reduce is for gradients and variables only. If an
  // axis is given, the values are also reduced along that axis, and a mean divides by the total number of
  // elements on it, so that every row has the same weight.
  Tensor reduce(ReduceOp op, const Values& value, std::optional<int> axis = {}) const;
  Tensor reduce(ReduceOp op, const PerReplica& returned, std::size_t result) const;  // of a compiled function
  Tensor reduce(ReduceOp op, const Tensor& value) const;  // of a value that is the same on all replicas
  EagerTensor reduce(ReduceOp op, const DistributedValues<EagerTensor>& value,
                     std::optional<int> axis = {}) const;
  EagerTensor reduce(ReduceOp op, const Variable& value, std::optional<int> axis = {}) const;
  // Concatenates, in the order of the replicas. The value of a single replica is returned as it is.
  Tensor gather(const Values& value, int axis) const;
  EagerTensor gather(const DistributedValues<EagerTensor>& value, int axis) const;

  // Prints the device of each single operation that the strategy's replicas and scopes execute.
  void set_log_device_placement(bool enabled, const Eager::Sink& sink = {}) const;

  // ---- For the other files of this folder

  // Throws NotImplementedError if programs with a loop of their own can't use the strategy.
  void require_usable() const;
  // Where a variable that is meant for this device is: there, or on the host if no process has the device.
  device::Name placed(const device::Name& device) const;
  // Executes the single operations of a replica, or those of the strategy's scopes.
  Eager& eager(std::optional<std::size_t> replica = {}) const;
  Eager& eager_on(const device::Name& device) const;  // of the process that has the device
  // The device of a replica, for the single operations of this block.
  class Device {
   public:
    Device(const Strategy& strategy, std::size_t replica);

   private:
    Eager::Scope scope_;
  };
  // A collective of the replicas with these shapes. Throws InvalidArgumentError if they differ, and from then on: as in
  // TensorFlow, the program has to be restarted.
  void enter_collective(std::span<const Shape> shapes) const;
  bool uses_collectives() const;
  // One device's and the default strategy's replica runs in the caller's thread, and its values stay as they are.
  bool runs_in_one_thread() const;
  void run_replicas(const ReplicaThreads::Body& body) const;
  void require_cross_replica_context() const;

 private:
  struct Eagers;
  const std::vector<device::LogicalDevice>& existing_devices() const;
  void require_one_each(std::size_t values) const;  // throws InputError

  Traits traits_;
  std::unique_ptr<Eagers> eagers_;
};

// Selects one of the results that `run` returned, for every replica.
Values experimental_local_results(const PerReplica& returned, std::size_t result = 0);

// A component of the elements that a distributed dataset gives the replicas, as an argument of a run.
DistributedValues<EagerTensor> component(const PerReplica& elements, std::size_t number);

// The strategy of the innermost scope of this thread. Outside of all scopes this is the default strategy, a
// single object with one replica.
const Strategy& get_strategy();
bool has_strategy();                                  // whether get_strategy() is not the default strategy
bool in_cross_replica_context();                      // inside a scope and not inside `run`
std::optional<ReplicaContext> get_replica_context();  // none in cross-replica context

// Enters the scope of a strategy for the rest of the program, on this thread; null leaves it. Throws
// device::RuntimeError inside another scope.
void experimental_set_strategy(const Strategy* strategy);

// ---- Templates

template <class Body, class... Arguments>
requires std::invocable<Body, SelectedType<Arguments>...>
auto Strategy::run(const Body& body, const Arguments&... arguments) const {
  using Result = std::decay_t<std::invoke_result_t<Body, SelectedType<Arguments>...>>;
  if constexpr (std::is_void_v<Result>) {
    run_replicas([&]([[maybe_unused]] std::size_t replica) { body(select_replica(arguments, replica)...); });
  } else {
    std::vector<std::optional<Result>> results(static_cast<std::size_t>(num_replicas_in_sync()));
    run_replicas([&]([[maybe_unused]] std::size_t replica) {
      results[replica].emplace(body(select_replica(arguments, replica)...));
    });
    std::vector<Result> values;
    for (std::optional<Result>& result : results) values.push_back(std::move(*result));
    return DistributedValues<Result>(std::move(values));
  }
}

template <class Make>
auto Strategy::experimental_distribute_values_from_function(const Make& make) const {
  require_cross_replica_context();
  std::vector<std::invoke_result_t<Make, const ReplicaContext&>> values;
  for (std::size_t i = 0; i < traits_.devices.size(); ++i)
    values.push_back(make(ReplicaContext({this, ThreadMode::Kind::replica, i, nullptr, nullptr})));
  return DistributedValues(std::move(values));
}

}  // namespace wt::train
