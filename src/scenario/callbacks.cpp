#include "scenario/callbacks.h"

#include <fmt/format.h>

#include "train/model.h"

namespace wt::scenario {

namespace {

// Keras 2.15 lists the strategies whose trainings BackupAndRestore saves.
std::string without_backup(const Scenario& scenario, const Job& job) {
  const strategy::VariablePlacement variables = scenario.strategy->variables();
  const bool is_central = variables == strategy::VariablePlacement::on_parameter_device && !job.machine.pool;
  const bool is_listed = !is_central && variables != strategy::VariablePlacement::on_its_device;
  return is_listed ? std::string() : std::string(scenario.strategy->name());
}

}  // namespace

std::vector<std::string> names_of_results(const Job& job, bool is_evaluated) {
  std::vector<std::string> names =
      train::result_names({.metrics = job.metrics, .weighted_metrics = job.weighted_metrics}, *job.model);
  const std::size_t count = is_evaluated ? names.size() : 0;
  for (std::size_t i = 0; i < count; ++i) names.push_back("val_" + names[i]);
  return names;
}

void check_callbacks(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  if (training.callbacks.empty()) return;
  if (training.loop != Loop::fit)
    problems.add(scenario.place("training.callbacks"),
                 "callbacks are called by fit, and the loop is \"custom\"",
                 R"(leave them out, or take "loop": "fit")");
  const std::int64_t steps = steps_per_epoch(scenario, job);
  train::CallbackFacts facts{job.optimizer,
                             all_metrics(job),
                             names_of_results(job, training.evaluation && training.evaluation->every),
                             scenario.semantics,
                             job.machine.platform.has_value(),
                             steps < 0 ? std::nullopt : std::optional(steps),
                             without_backup(scenario, job)};
  for (std::size_t i = 0; i < training.callbacks.size(); ++i) {
    for (const train::CallbackProblem& problem : train::problems_of(training.callbacks[i], facts))
      problems.add(scenario.place(fmt::format("training.callbacks.{}{}{}", i, problem.key.empty() ? "" : ".",
                                              problem.key)),
                   problem.fact, problem.remedy);
    // What a callback adds to the results, those after it may watch.
    if (train::sets_learning_rate(training.callbacks[i]))
      facts.logs.emplace_back(train::name_of_rate(scenario.semantics));
  }
  if (scenario.numerics == Numerics::none)
    job.notes.push_back({scenario.place("training.callbacks"),
                         "callbacks act on what is computed, and nothing is: all epochs are counted",
                         R"(take the numerics "cpu", or leave the callbacks out)"});
}

}  // namespace wt::scenario
