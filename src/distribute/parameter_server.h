// tf.distribute.ParameterServerStrategy as an object with its machine: numbers by train/parameter_servers.h, and the time
// of a scheduled closure, of all its workers and servers.
//
//   const auto strategy = distribute::parameter_server({.platform = "dgx_a100", .cluster_resolver = &resolver});
//   train::Function step = strategy.function("step", state, train::Function::Mode::training, body);
//   train::ClusterCoordinator coordinator(strategy);
//   coordinator.schedule(step, {batches});                       // numbers
//   const timing::Simulated time = strategy.simulate(step, {batch}, {.closures = 1000});
//   time.step                                                    // of one closure, from its dispatch to its end
//   time.pool->updates_per_second()                              // of all workers together
//
// A scenario with the strategy "parameter_server" on the same machines gives the same plans and times.
#pragma once

#include "cluster/resolver.h"
#include "distribute/described.h"
#include "model/partitioner.h"
#include "train/coordinator.h"

namespace wt::distribute {

struct ParameterServerOptions {
  // A machine for each task of the cluster: one name, of whose machines each task has one, or JSON with all machines: those
  // of the workers, then those of the servers, then that of the coordinator.
  std::string platform{};
  // Whose cluster has workers and servers. A task "chief" is the coordinator; without one it is added. Required.
  const cluster::ClusterResolver* cluster_resolver = nullptr;
  // One of TensorFlow's partitioners. train::ParameterServerStrategy also takes a function of the program.
  std::optional<model::Partitioner> variable_partitioner{};
  // tf.config.set_visible_devices on each worker: {"GPU:0"}. None: all. A worker has a replica for each of its GPUs.
  std::vector<std::string> visible_devices{};
};

class ParameterServerStrategy : private internal::Parts, public train::ParameterServerStrategy {
 public:
  ParameterServerStrategy(const Described& described, train::ServerCounts counts,
                          model::Partition variable_partitioner);

  // The replicas of the first worker, and all workers and servers.
  const cluster::Machine& cluster() const { return machine_; }
  // Those of one worker, for functions and Keras models.
  train::Resources& resources() const { return resources_; }

  // tf.function for a closure, or for the body of `run` in one. Requires: strategy and state outlive it.
  train::Function function(std::string name, train::State& state, train::Function::Mode mode,
                           train::Function::Body body) const;

  // The time of a closure on the described machine, with such arguments for each replica of a worker, which may lack
  // numbers. Throws device::ResourceExhaustedError if the step doesn't fit into a device's memory. As in scenarios, the time
  // of TensorFlow's own software isn't known for this strategy, and isn't counted.
  timing::Simulated simulate(train::Function& step, const train::PerReplica& arguments,
                             const Schedule& schedule = {}) const {
    return simulated(step, arguments, Execution::function, schedule);
  }
  // The same for a step of Keras' fit on a batch of one worker.
  timing::Simulated simulate(train::Model& model, const std::vector<Tensor>& batch,
                             const Schedule& schedule = {}) const {
    return simulated(model, batch, schedule);
  }
  // The same for a body that computes at once, and whose variables were made in the scope.
  template <class Body, class... Arguments>
  requires std::invocable<Body, train::SelectedType<Arguments>...>
  auto simulate(const Schedule& schedule, const Body& body, const Arguments&... arguments) const
      -> timing::Simulated {
    std::vector<train::StepRecorder> steps(static_cast<std::size_t>(num_replicas_in_sync()));
    for (train::StepRecorder& step : steps) step.declare(variables());
    internal::record(*this, steps, body, arguments...);
    return simulated(steps, schedule);
  }

 private:
  mutable train::Resources resources_;
};

// Throws device::ValueError for a cluster that TensorFlow refuses, and InputError for a platform that has too few machines.
ParameterServerStrategy parameter_server(const ParameterServerOptions& options);

}  // namespace wt::distribute
