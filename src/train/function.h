#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "device/cpu/cpu_queue.h"
#include "model/layer.h"
#include "train/state.h"

namespace wt::train {

// How a step is lowered to a plan; a strategy.
using Lowering = std::function<plan::Plan(const Step& step)>;

// What computes: the strategy that lowers steps and the queue that runs them.
struct Machine {
  Lowering lower{};
  device::Queue& queue;
};

// A step function that is traced once for every kind of arguments and kept, as tf.function is. Its body is
// written against symbols; calling it computes with numbers and leaves its variables' new values in the
// state.
class Function {
 public:
  using Body =
      std::function<std::vector<Symbol>(model::Building& building, const std::vector<Symbol>& arguments)>;

  enum class Mode : std::uint8_t { training, inference };

  // Requires: the state and the machine outlive the function.
  Function(std::string name, State& state, Machine& machine, Mode mode, Body body);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // Returns the values of what the body returned. Throws device::ResourceExhaustedError when the step doesn't
  // fit.
  std::vector<Tensor> operator()(const std::vector<Tensor>& arguments);

  // The plan for such arguments, traced if it is new. Shape-only tensors will do.
  const plan::Plan& plan_for(const std::vector<Tensor>& arguments);

  const Step& step_for(const std::vector<Tensor>& arguments);

  // Adds the variables that such a call needs to the state, so that a checkpoint can be checked against them.
  void create_variables(const std::vector<Tensor>& arguments);

 private:
  struct Traced {
    std::vector<TensorSpec> specs{};
    Step step{};
    plan::Plan plan{};
    std::vector<model::Weight> weights{};
    std::unique_ptr<execute::Execution> execution{};
  };
  Traced& traced_for(const std::vector<Tensor>& arguments);
  Traced trace_for(std::vector<TensorSpec> specs) const;

  std::string name_;
  State& state_;
  Machine& machine_;
  Mode mode_;
  Body body_;
  std::deque<Traced> traced_{};  // executions refer to their plans: they stay where they are
};

}  // namespace wt::train
