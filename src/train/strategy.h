#pragma once
// tf.distribute.Strategy as a program with a loop of its own calls it: which strategy is in scope, and what becomes
// of values of which every replica has one. How a step is lowered, Machine says; here a strategy is its name and
// its replicas. Variables belong to a State, so a scope says no more than which strategy is meant.
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

class Strategy {
 public:
  Strategy(std::string name, std::int64_t num_replicas_in_sync);
  Strategy(const Strategy&) = delete;  // which one it is matters
  Strategy& operator=(const Strategy&) = delete;

  const std::string& name() const { return name_; }
  std::int64_t num_replicas_in_sync() const { return replicas_; }

  // Until it is destroyed. The same strategy's may be entered again; throws device::RuntimeError inside another's, and
  // in a step.
  class Scope {
   public:
    explicit Scope(const Strategy& strategy);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
  [[nodiscard]] Scope scope() const { return Scope(*this); }

  // What the body asks while it is traced, it asks in replica context. Requires: the function's machine has as many
  // replicas.
  PerReplica run(Function& function, const PerReplica& arguments) const;

  // On the host's CPU, one replica after the other, whatever the strategy: the all-reduce is for gradients and
  // variables alone. With an axis, over its elements too: a mean is then over the rows that there really are.
  Tensor reduce(ReduceOp op, const Values& value, std::optional<int> axis = {}) const;
  Tensor reduce(ReduceOp op, const Tensor& value) const;  // which is one for all replicas
  Tensor gather(const Values& value, int axis) const;     // one behind the other, in the order of replicas

 private:
  void require_cross_replica_context() const;

  std::string name_;
  std::int64_t replicas_;
};

// A result of strategy.run, of every replica.
Values experimental_local_results(const PerReplica& returned, std::size_t result = 0);

struct ReplicaContext {
  std::int64_t num_replicas_in_sync = 1;
};

// The strategy in scope; outside any, the default one, of which there is one.
const Strategy& get_strategy();
bool has_strategy();
bool in_cross_replica_context();
std::optional<ReplicaContext> get_replica_context();  // none in cross-replica context

}  // namespace wt::train
