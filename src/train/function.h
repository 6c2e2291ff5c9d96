#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "data/distribute.h"
#include "device/cpu/cpu_queue.h"
#include "model/layer.h"
#include "strategy/replicas.h"
#include "train/state.h"

namespace wt::train {

// How a step is lowered to a plan, one step per replica; a strategy.
using Lowering = std::function<plan::Plan(strategy::Steps steps)>;

// What computes: the strategy that lowers steps, the queues that run them, and how data are dealt out to the
// replicas, whose number is there.
struct Machine {
  Lowering lower{};
  execute::Queues queues;
  data::Distribution input{};
  // How a plan lies in this machine's memory, which may be smaller than the plan's: another one that computes the
  // same, with the same ports. Absent: as it is.
  std::function<plan::Plan(const plan::Plan&)> seat{};

  std::size_t replicas() const { return static_cast<std::size_t>(input.replicas); }
};

// One list of tensors per replica: arguments, or results.
using PerReplica = std::vector<std::vector<Tensor>>;

// A step function that is traced once for every kind of arguments and kept, as tf.function is. Its body is
// written against symbols; calling it computes with numbers and leaves its variables' new values in the
// state. Replicas run it on arguments of their own; those with as many rows share a trace.
class Function {
 public:
  using Body =
      std::function<std::vector<Symbol>(model::Building& building, const std::vector<Symbol>& arguments)>;

  enum class Mode : std::uint8_t { training, inference };

  // Requires: the state and the machine outlive the function.
  Function(std::string name, State& state, Machine& machine, Mode mode, Body body,
           model::Semantics semantics = model::Semantics::keras2);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // strategy.run: a list of arguments per replica, and back come the values of what the body returned on each. A
  // replica may have 0 rows. Throws device::ResourceExhaustedError when the step doesn't fit. `next` is asked for what
  // the next call will be given, where that can travel while this one computes; null: nobody knows.
  using Next = std::function<const PerReplica*()>;
  PerReplica run(const PerReplica& arguments, const Next& next = {});

  // The same arguments for every replica, as strategy.run gives what is not distributed; replica 0's results.
  std::vector<Tensor> operator()(const std::vector<Tensor>& arguments);

  // The plan for such arguments, traced if it is new. Shape-only tensors will do.
  const plan::Plan& plan_for(const PerReplica& arguments);

  const Step& step_for(const PerReplica& arguments);  // replica 0's

  // Adds the variables that such a call needs to the state, so that a checkpoint can be checked against them.
  void create_variables(const PerReplica& arguments);

 private:
  struct Traced {
    std::vector<TensorSpec> specs{};
    Step step{};
    std::vector<model::Weight> weights{};
  };
  struct Planned {
    std::vector<const Step*> steps{};  // by replica
    plan::Plan plan{};
    std::optional<plan::Plan> seated{};  // what is executed instead
    std::unique_ptr<execute::Execution> execution{};
    PerReplica sent{};  // ahead of the call that it is for
  };
  static void send(Planned& planned, const PerReplica& arguments);
  Planned& planned_for(const PerReplica& arguments);
  const Traced& traced_for(const std::vector<Tensor>& arguments);
  Traced trace_for(std::vector<TensorSpec> specs) const;

  std::string name_;
  State& state_;
  Machine& machine_;
  Mode mode_;
  Body body_;
  model::Semantics semantics_;
  std::deque<Traced> traced_{};    // plans refer to their steps, executions to their plans:
  std::deque<Planned> planned_{};  // they stay where they are
};

}  // namespace wt::train
