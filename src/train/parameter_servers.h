#pragma once
// tf.distribute.ParameterServerStrategy (version 2) for programs with a training loop of their own: a cluster
// of workers and servers, and where its variables are. A coordinator hands functions out to the workers
// (train/coordinator.h). distribute/parameter_server.h has the same strategy on a described machine, with its time.
//
//   const cluster::SimpleClusterResolver resolver(spec);  // or the resolver of a TF_CONFIG
//   ParameterServerStrategy strategy(resolver, model::partition_by(model::FixedShardsPartitioner{3}));
//   Resources machine = strategy.resources(queue);
//   Function step("step", state, machine, Function::Mode::training, body);
//
// ServerCounts is the short form of a cluster: {.workers = 2, .servers = 3}. Names and error texts are
// TensorFlow's.
//
// There are two kinds of variables, and they share neither values nor turns on the servers. Those of a function have
// their values in its State. The program's own are assigned and read by single operations, on the coordinator, in a run
// or in a closure: a Variable that is made in the scope (train/distributed/variable.h), or what `create` makes
// (train/server_variable.h). Each kind begins with the first server.
//
// A Keras model with such resources trains by closures of a coordinator, as in Keras 2. Keras 3 refuses it
// (train/coordinated_fit.h).

#include <exception>
#include <string>
#include <vector>

#include "cluster/resolver.h"
#include "data/distribute.h"
#include "model/partitioner.h"
#include "train/distributed/variable.h"
#include "train/function.h"
#include "train/server_variable.h"
#include "train/strategy.h"

namespace wt::train {

struct ServerCounts {
  std::int64_t workers = 0;
  std::int64_t servers = 0;
};

class ParameterServerStrategy : public Strategy {
 public:
  // Throws device::ValueError for a cluster that TensorFlow refuses, for example one without a worker or a
  // server. A partition that cuts a variable otherwise than along its first axis is refused when the variable
  // is made. `replicas` are the devices of one worker; none: the CPU of this host.
  explicit ParameterServerStrategy(ServerCounts counts, model::Partition variable_partitioner = {},
                                   std::vector<device::LogicalDevice> replicas = {});
  explicit ParameterServerStrategy(const cluster::ClusterResolver& resolver,
                                   model::Partition variable_partitioner = {});

  std::int64_t workers() const { return counts_.workers; }
  std::int64_t servers() const { return counts_.servers; }
  // The first value of a variable or of one of its shards, which begins with the given row of the variable.
  using InitialValue = std::function<Tensor(const TensorSpec& part, std::int64_t first_row)>;

  // A variable on the next server, or its shards on the next ones. Without a name, each part is "Variable:0".
  // Throws device::ValueError without an initial value, and while a dataset function of a coordinator runs.
  ServerVariable create(std::string name, const TensorSpec& spec, const InitialValue& initial_value);
  ServerVariable create(std::string name, const Tensor& initial_value);
  // A variable that an optimizer keeps for a part of another one is with that part.
  static ServerVariable create_slot(std::string name, const ServerVariable::Part& owner);

  // The program's own variables, in the order in which they were made.
  const std::vector<VariableDeclaration>& variables() const { return variables_; }

  // A dataset of global batches, which each worker reads whole for its own replicas. Only a coordinator's workers do
  // (ClusterCoordinator::create_per_worker_dataset): iterating over it elsewhere throws device::ValueError.
  data::DistributedDataset experimental_distribute_dataset(const data::Dataset& dataset) const;

  // The resources of one worker, whose variables are on the servers.
  Resources resources(execute::Queues queues) const;

 private:
  friend class ClusterCoordinator;
  // What all coordinators of the strategy share.
  struct Coordination {
    std::int64_t scheduled = 0;
    std::exception_ptr pending{};  // the error of a closure that has not been thrown yet
  };
  Lowering lowering() const;
  std::vector<ServerPart> place(const VariableDeclaration& variable) const;

  ServerCounts counts_;
  model::Partition partition_;
  // Variables are also made in the scope of a strategy that is const.
  mutable std::vector<VariableDeclaration> variables_{};
  mutable std::size_t next_ = 0;  // the turn of the next variable
  bool makes_dataset_ = false;    // a dataset function runs
  Coordination coordination_{};
};

// The counts of a cluster. Throws device::ValueError for one that TensorFlow refuses.
ServerCounts server_counts_of(const cluster::ClusterResolver& resolver);

// tf.compat.v1.distribute.experimental.ParameterServerStrategy. TensorFlow 2 runs it inside tf.estimator
// only: its scope, its run, its updates and its datasets throw NotImplementedError. Scenarios train with it
// ("parameter_server_v1").
class ParameterServerStrategyV1 : public Strategy {
 public:
  ParameterServerStrategyV1();
  // Throws device::ValueError for a cluster without a server.
  explicit ParameterServerStrategyV1(const cluster::ClusterResolver& resolver);

  [[noreturn]] void experimental_distribute_dataset(const data::Dataset& dataset) const;
  [[noreturn]] void distribute_datasets_from_function(const std::function<data::Dataset()>& function) const;
};

}  // namespace wt::train
