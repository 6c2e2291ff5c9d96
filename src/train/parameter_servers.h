#pragma once
// tf.distribute.ParameterServerStrategy (version 2) for programs with a training loop of their own: a cluster of
// workers and servers, and where its variables are. A coordinator hands functions out to the workers
// (train/coordinator.h).
//
//   const ParameterServerStrategy strategy({.workers = 2, .servers = 3},
//                                          model::partition_by(model::FixedShardsPartitioner{3}));
//   Resources machine{strategy.lowering(), queue};
//   Function step("step", state, machine, Function::Mode::training, body);
//
// The cluster of a TF_CONFIG gives the counts: spec.num_tasks("worker") and spec.num_tasks("ps") of its
// ClusterSpec (cluster/cluster_spec.h). Names and error texts are TensorFlow's.
//
// There are two kinds of variables, and they share neither values nor turns on the servers: those of a
// function, whose values its State keeps, and those that `create` makes, which the program reads and assigns
// itself. Each kind begins with the first server.

#include <string>
#include <vector>

#include "model/partitioner.h"
#include "train/function.h"
#include "train/strategy.h"

namespace wt::train {

// A variable on one server, or a tf.ShardedVariable: several variables with the rows of one.
class ServerVariable {
 public:
  struct Part {
    std::string name{};  // "table/part_0:0"
    std::string device{};
    Tensor value{};
  };
  ServerVariable(std::string name, TensorSpec spec, std::vector<Part> parts)
      : name_(std::move(name)), spec_(spec), parts_(std::move(parts)) {}

  const std::string& name() const { return name_; }
  const TensorSpec& spec() const { return spec_; }
  const std::vector<Part>& parts() const { return parts_; }
  bool is_sharded() const { return parts_.size() > 1; }

  Tensor value() const;  // all rows
  // The rows with these numbers. Throws device::OpError for a row that is not there.
  Tensor look_up(const std::vector<std::int64_t>& ids) const;
  // Python's v[begin:end:step] with a positive step. Negative numbers count from the end.
  Tensor slice(std::int64_t begin, std::optional<std::int64_t> end = {}, std::int64_t step = 1) const;

  // These throw device::OpError if the value has another number of rows, and InputError if it has another row.
  void assign(const Tensor& value);
  void assign_add(const Tensor& value);
  void assign_sub(const Tensor& value);
  void scatter_add(const std::vector<std::int64_t>& ids, const Tensor& rows);

 private:
  struct Place {
    std::size_t part = 0;
    std::int64_t row = 0;
  };
  Place place(std::int64_t row) const;
  void check(const Tensor& value) const;

  std::string name_;
  TensorSpec spec_;
  std::vector<Part> parts_;
};

struct ServerCounts {
  std::int64_t workers = 0;
  std::int64_t servers = 0;
};

class ParameterServerStrategy : public Strategy {
 public:
  // Throws device::ValueError without a worker or a server. A partition that cuts a variable otherwise than
  // along its first axis is refused when the variable is made.
  explicit ParameterServerStrategy(ServerCounts counts, model::Partition variable_partitioner = {});

  std::int64_t workers() const { return counts_.workers; }
  std::int64_t servers() const { return counts_.servers; }
  std::vector<std::string> worker_devices() const { return {"/device:CPU:0"}; }
  std::vector<std::string> parameter_devices() const { return {"/job:chief/replica:0/task:0/device:CPU:0"}; }

  // A variable on the next server, or its shards on the next ones. Throws device::ValueError while a dataset
  // function of a coordinator runs.
  ServerVariable create(std::string name, const Tensor& initial_value);
  // A variable that an optimizer keeps for a part of another one is with that part.
  static ServerVariable create_slot(std::string name, const ServerVariable::Part& owner);

  // Steps of one worker, whose variables are on the servers.
  Lowering lowering() const;

 private:
  friend class ClusterCoordinator;
  ServerCounts counts_;
  model::Partition partition_;
  std::size_t next_ = 0;        // the turn of the next variable
  bool makes_dataset_ = false;  // a dataset function runs
};

}  // namespace wt::train
