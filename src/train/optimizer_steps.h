#pragma once
// Training steps of an optimizer that accumulates gradients: two functions take turns. With
// gradient_accumulation_steps = 4, three steps only add their gradients to those before, on each replica apart and so
// without an all-reduce, and the fourth updates the variables. Without accumulation there is one function.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/optimizer.h"
#include "train/function.h"

namespace wt::train {

class OptimizerSteps {
 public:
  // Traces a step. The body passes the options on to model::apply_gradients.
  using Body = std::function<std::vector<Symbol>(
      model::Building& building, const std::vector<Symbol>& arguments, const model::ApplyOptions& options)>;

  // Requires: the optimizer, the state and the machine outlive the steps.
  OptimizerSteps(const std::string& name, const model::Optimizer& optimizer, State& state, Resources& machine,
                 const Body& body, model::Semantics semantics);

  // Runs the step whose turn it is, by the optimizer's variable "iteration".
  PerReplica run(const PerReplica& arguments, const Function::Next& next = {});
  void create_variables(const PerReplica& arguments);

  // The step that updates the variables, and the one that only accumulates, if there is one.
  Function& update() { return update_; }
  Function* accumulation() { return accumulation_ ? &*accumulation_ : nullptr; }

 private:
  const model::Optimizer& optimizer_;
  State& state_;
  Function update_;
  std::optional<Function> accumulation_{};
};

// Keras' finalize_variable_values at the end of fit: the variables become their moving averages, if the optimizer keeps
// some.
void overwrite_by_averages(State& state, const model::Optimizer& optimizer);

}  // namespace wt::train
