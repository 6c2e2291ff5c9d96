#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "data/distribute.h"
#include "device/cpu/cpu_queue.h"
#include "model/layer.h"
#include "strategy/replicas.h"
#include "strategy/variable_placement.h"
#include "train/keras_faults.h"
#include "train/state.h"

namespace wt::train {

// A distribution strategy: it lowers the steps of all replicas, one step per replica, to a plan.
using Lowering = std::function<plan::Plan(strategy::Steps steps)>;

using strategy::VariablePlacement;

// The resources of a training: the strategy, the queues that execute its plans, and the distribution of the
// input over the replicas, which also states the number of replicas.
struct Resources {
  Lowering lower{};
  execute::Queues queues;
  data::Distribution input{};
  // Returns a plan that computes the same as the given one, has the same ports and fits into the memory of
  // this host, in which replicas have to take turns (plan/turns.h). If this is unset, or returns nothing, a plan
  // is executed as it was lowered.
  std::function<std::optional<plan::Plan>(const plan::Plan&)> seat{};
  // The workers to which a coordinator hands the steps of Keras' fit and evaluate, each with a dataset of its
  // own (train/coordinated_fit.h). 0: there is no coordinator.
  std::int64_t coordinated_workers = 0;
  VariablePlacement variables = VariablePlacement::where_it_is_made;
  // Whether also those faults of TensorFlow and Keras are repeated that end a program, or change its numbers, without
  // being meant so (train/keras_faults.h).
  bool faithful = false;
  std::string refusal_of_reduction{};  // strategy::Strategy::refusal_of_reduction
  std::int64_t own_worker = 0;         // of input.workers, the one whose errors a program sees

  std::size_t replicas() const { return static_cast<std::size_t>(input.replicas); }
};

// One list of tensors per replica: arguments, or results.
using PerReplica = std::vector<std::vector<Tensor>>;

// A step function that is traced once for every combination of shapes and types of its arguments, like
// tf.function. Its body is written against symbols; a call computes with numbers and leaves the new values of
// the variables in the state. Every replica runs the function on arguments of its own. Replicas whose
// arguments have the same shapes share a trace. Each combination of the replicas' traces has a plan and an
// execution, which are kept for later calls.
class Function {
 public:
  using Body =
      std::function<std::vector<Symbol>(model::Building& building, const std::vector<Symbol>& arguments)>;

  enum class Mode : std::uint8_t { training, inference };

  // Requires: the state and the machine outlive the function.
  // `fetches`: the results are copied to the host in each step (Step::fetches_results).
  Function(std::string name, State& state, Resources& machine, Mode mode, Body body,
           model::Semantics semantics = model::default_semantics, bool fetches = false);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // Returns the arguments of the next call, or null if they are not known. `run` calls this after it has
  // started its step, on machines where inputs can be copied to the devices while a step computes. The next
  // call then has to pass the same tensors; other tensors are correct as well, but they are copied again.
  using Next = std::function<const PerReplica*()>;

  // tf.distribute.Strategy.run: runs the body on each replica with that replica's arguments and returns what
  // the body returned on each. A replica may have 0 rows. Throws device::ResourceExhaustedError if the step
  // does not fit into the memory of a device.
  PerReplica run(const PerReplica& arguments, const Next& next = {});

  // Calls the function with the same arguments on every replica, and returns the results of replica 0.
  std::vector<Tensor> operator()(const std::vector<Tensor>& arguments);

  // The plan for such arguments, which is traced and lowered on the first request. The tensors may lack
  // numbers.
  std::shared_ptr<const plan::Plan> plan_for(const PerReplica& arguments);

  const Step& step_for(const PerReplica& arguments, std::size_t replica = 0);

  // Adds the variables of such a call to the state, for example so that a checkpoint can be compared with
  // them.
  void create_variables(const PerReplica& arguments);

  // What ends the first run with such arguments where Resources::faithful is set. `is_built`: whether the optimizer, if
  // there is one, was built before.
  std::optional<Fault> fault_of(const PerReplica& arguments, bool is_built = false);

 private:
  struct Traced {
    std::vector<TensorSpec> specs{};
    Step step{};
    std::vector<model::Weight> weights{};
    std::string assigning_layer{};  // model::Building::assigning_layer
  };
  struct Planned {
    std::vector<const Step*> steps{};  // by replica
    std::shared_ptr<const plan::Plan> plan{};
    std::optional<plan::Plan> seated{};               // Resources::seat's result, executed in place of plan
    std::unique_ptr<execute::Execution> execution{};  // created by the first run
    PerReplica sent{};                                // the arguments that were copied last
  };
  static void send(Planned& planned, const PerReplica& arguments);
  Planned& planned_for(const PerReplica& arguments);
  void require_no_fault(const PerReplica& arguments);
  const Traced& traced_for(const std::vector<Tensor>& arguments);
  Traced trace_for(std::vector<TensorSpec> specs) const;

  std::string name_;
  State& state_;
  Resources& machine_;
  Mode mode_;
  Body body_;
  model::Semantics semantics_;
  bool fetches_;
  // Plans refer to steps, and executions to plans, so these elements must not move.
  std::deque<Traced> traced_{};
  std::deque<Planned> planned_{};
};

}  // namespace wt::train
