#pragma once
// tf.distribute.Strategy for programs with a custom training loop: scopes, run, and the reduction of values
// that the replicas returned. A Strategy here is a name and a number of replicas; how its steps are lowered
// is determined by Resources (train/function.h). Variables belong to a State, so the only effect of a scope
// is on get_strategy and on the checks that TensorFlow makes. The errors of these checks have TensorFlow's
// text.
//
//   const Strategy strategy("MirroredStrategy", machine.input.replicas);
//   const auto scope = strategy.scope();
//   const PerReplica losses = strategy.run(train_step, batch);
//   const Tensor loss = strategy.reduce(ReduceOp::sum, experimental_local_results(losses));

#include <optional>
#include <string>
#include <vector>

#include "train/function.h"

namespace wt::train {

enum class ReduceOp : std::uint8_t { sum, mean };

using Values = std::vector<Tensor>;  // one per replica

// How `gather` brings the replicas' values together, which shows in what it refuses.
enum class Gathering : std::uint8_t {
  by_concatenation,  // on one device, as under central storage
  by_collectives     // as under mirrored strategies
};

class Strategy {
 public:
  // `refusal`: TensorFlow's sentence about a strategy that programs with a loop of their own can't use.
  Strategy(std::string name, std::int64_t num_replicas_in_sync, std::string refusal = {},
           Gathering gathering = Gathering::by_collectives);
  Strategy(const Strategy&) = delete;  // scopes compare strategies by their address
  Strategy& operator=(const Strategy&) = delete;

  const std::string& name() const { return name_; }
  std::int64_t num_replicas_in_sync() const { return replicas_; }

  // The scope lasts until it is destroyed. A scope of the same strategy may be entered inside. Throws
  // device::RuntimeError inside a scope of another strategy, and inside a function that `run` is tracing.
  // Throws NotImplementedError, as `run` does, if programs can't use the strategy.
  class Scope {
   public:
    explicit Scope(const Strategy& strategy);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
  [[nodiscard]] Scope scope() const { return Scope(*this); }

  // Runs the function on every replica. Its body is traced in replica context. Requires: the function's
  // machine has num_replicas_in_sync() replicas.
  PerReplica run(Function& function, const PerReplica& arguments) const;

  // Reduces the replicas' values on the CPU of the host, in the order of the replicas, whatever the strategy.
  // TensorFlow's MirroredStrategy does the same; its all-reduce is for gradients and variables only. If an
  // axis is given, the values are also reduced along that axis, and a mean divides by the total number of
  // elements on it, so that every row has the same weight.
  Tensor reduce(ReduceOp op, const Values& value, std::optional<int> axis = {}) const;
  Tensor reduce(ReduceOp op, const Tensor& value) const;  // of a value that is the same on all replicas
  // Concatenates, in the order of the replicas. The value of a single replica is returned as it is.
  Tensor gather(const Values& value, int axis) const;

 private:
  void require_usable() const;
  void require_cross_replica_context() const;

  std::string name_;
  std::int64_t replicas_;
  std::string refusal_;
  Gathering gathering_;
};

// Selects one of the results that `run` returned, for every replica.
Values experimental_local_results(const PerReplica& returned, std::size_t result = 0);

struct ReplicaContext {
  std::int64_t num_replicas_in_sync = 1;
};

// The strategy of the innermost scope of this thread. Outside of all scopes this is the default strategy, a
// single object with one replica.
const Strategy& get_strategy();
bool has_strategy();                                  // whether get_strategy() is not the default strategy
bool in_cross_replica_context();                      // inside a scope and not inside `run`
std::optional<ReplicaContext> get_replica_context();  // none in cross-replica context

}  // namespace wt::train
