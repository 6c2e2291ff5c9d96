#include "train/optimizer_steps.h"

namespace wt::train {

namespace {

Function::Body with_options(const OptimizerSteps::Body& body, const model::ApplyOptions& options) {
  return [body, options](model::Building& building, const std::vector<Symbol>& arguments) {
    return body(building, arguments, options);
  };
}

}  // namespace

OptimizerSteps::OptimizerSteps(const std::string& name, const model::Optimizer& optimizer, State& state,
                               Resources& machine, const Body& body, model::Semantics semantics)
    : optimizer_(optimizer),
      state_(state),
      update_(name, state, machine, Function::Mode::training, with_options(body, {.semantics = semantics}),
              semantics) {
  if (optimizer.accumulation > 1)
    accumulation_.emplace(name + "_accumulate", state, machine, Function::Mode::training,
                          with_options(body, {.semantics = semantics, .only_accumulates = true}), semantics);
}

PerReplica OptimizerSteps::run(const PerReplica& arguments, const Function::Next& next) {
  if (!accumulation_) return update_.run(arguments, next);
  create_variables(arguments);
  const Tensor iteration = state_.read(model::iteration_name(optimizer_));
  return model::is_update_step(optimizer_, iteration.values<std::int64_t>()[0])
             ? update_.run(arguments)
             : accumulation_->run(arguments);
}

void OptimizerSteps::create_variables(const PerReplica& arguments) {
  update_.create_variables(arguments);
  if (accumulation_) accumulation_->create_variables(arguments);
}

void overwrite_by_averages(State& state, const model::Optimizer& optimizer) {
  if (!optimizer.averages) return;
  const std::vector<model::Weight> weights = state.weights();
  for (const model::Weight& weight : weights) {
    const std::string average = model::slot_name(optimizer, "average", weight.name);
    if (state.has(average)) state.write(weight.name, state.read(average));
  }
}

}  // namespace wt::train
