#include "session/rehearsal.h"

#include <algorithm>

#include "model/weights.h"

namespace wt::session {

namespace {

train::LossScale loss_scale_of(scenario::LossScale scale) {
  switch (scale) {
    case scenario::LossScale::global_rows:
      return train::LossScale::global_rows;
    case scenario::LossScale::global_batch:
      return train::LossScale::global_batch;
    case scenario::LossScale::keras:
      break;
  }
  return train::LossScale::keras;
}

}  // namespace

namespace {

// What runs eagerly makes an optimizer's slots where they can be made.
train::Loop loop_of(const scenario::Training& training) {
  if (training.loop == scenario::Loop::fit) return train::Loop::fit;
  return training.build_optimizer || training.run_eagerly ? train::Loop::custom : train::Loop::custom_unbuilt;
}

// Those of fit. A TPU's host and a coordinator start several steps without Keras.
std::int64_t steps_per_execution_of(const scenario::Scenario& scenario) {
  const bool is_dispatched = scenario.strategy->compiles_steps() || scenario.strategy->has_coordinator();
  return is_dispatched ? 1 : scenario.training.steps_per_execution;
}

}  // namespace

train::CompileOptions compile_options(const scenario::Scenario& scenario, const scenario::Job& job) {
  return {.loss = job.loss,
          .optimizer = job.optimizer,
          .metrics = job.metrics,
          .weighted_metrics = job.weighted_metrics,
          .class_weight = scenario.training.class_weight.of,
          .loss_scale = loss_scale_of(scenario.training.loss_scale.value()),
          .global_batch = job.global_batch,
          .semantics = scenario.semantics,
          .steps_per_execution = steps_per_execution_of(scenario),
          .loop = loop_of(scenario.training)};
}

train::CompileOptions evaluation_options(const scenario::Scenario& scenario, const scenario::Job& job) {
  train::CompileOptions options = compile_options(scenario, job);
  if (options.loss_scale == train::LossScale::global_batch)
    options.loss_scale = train::LossScale::global_rows;
  return options;
}

std::map<std::string, Tensor> first_weights(const scenario::Scenario& scenario, const scenario::Job& job) {
  train::State state(static_cast<std::uint64_t>(scenario.seed));
  state.preset(job.initial_weights);
  std::map<std::string, Tensor> weights;
  for (const model::Weight& weight : model::weights_of(*job.model, scenario.semantics)) {
    if (std::holds_alternative<model::StreamStart>(weight.initializer.rule)) continue;
    state.add({weight});
    weights[weight.name] = state.read(weight.name);
  }
  return weights;
}

Rehearsal rehearse(const scenario::Scenario& scenario, const scenario::Job& job, train::Resources machine,
                   std::optional<std::int64_t> steps) {
  train::State state(static_cast<std::uint64_t>(scenario.seed));
  state.preset(job.initial_weights);
  train::Model model(job.model, state, machine);
  model.compile(compile_options(scenario, job));
  Rehearsal rehearsal;
  train::FitOptions options{.epochs = scenario::epochs_of(scenario),
                            .steps_per_epoch = scenario.training.steps_per_epoch,
                            .steps = scenario.training.steps};
  if (steps) options.steps = std::min(*steps, options.steps.value_or(*steps));
  options.on_step = [&](const train::StepResult& step) { rehearsal.steps.push_back(step); };
  model.fit(*job.batches, options);
  rehearsal.weights = model.weights();
  return rehearsal;
}

std::vector<double> losses_of(const Rehearsal& run) {
  std::vector<double> losses;
  for (const train::StepResult& step : run.steps) losses.push_back(step.loss);
  return losses;
}

}  // namespace wt::session
