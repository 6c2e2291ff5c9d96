#include "session/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "session/rehearsal.h"
#include "session/saving.h"
#include "timing/beside.h"

namespace wt::session {

namespace {

cluster::Machine machine_of(const cluster::Machine& of_training) {
  cluster::Machine machine = of_training;
  machine.replicas = {*of_training.evaluator};
  machine.tasks = 1;
  machine.pool.reset();
  machine.center.reset();
  return machine;
}

data::Distribution one_reader(data::Distribution input) {
  input.replicas = input.workers = 1;
  return input;
}

}  // namespace

bool evaluates_beside(const scenario::Scenario& scenario, const scenario::Job& job) {
  return job.machine.evaluator && scenario.training.evaluation && scenario.training.checkpointing;
}

void add_evaluations_beside(timing::JobTime& job, const Beside& beside) {
  job.items.push_back({.name = "the evaluator's last evaluation",
                       .key = "job.evaluation",
                       .count = 1,
                       .each = beside.behind,
                       .basis = beside.is_given ? timing::Basis::given : timing::Basis::simulated,
                       .note = fmt::format("after {} beside the training",
                                           counted(std::ssize(beside.evaluations) - 1, "evaluation"))});
}

Evaluator::Evaluator(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans,
                     TrainingClock& clock)
    : scenario_(scenario),
      job_(job),
      plans_(plans),
      clock_(clock),
      machine_(machine_of(job.machine)),
      lowering_(scenario_, machine_),
      resources_{[this](strategy::Steps steps) { return lowering_.lower_alone(*steps.front()); },
                 plans.machine().queues, one_reader(job.input)},
      state_(static_cast<std::uint64_t>(scenario.seed)) {}

Seconds Evaluator::step(std::int64_t rows) {
  train::Model model(job_.model, state_, resources_);
  model.compile(evaluation_options(scenario_, job_));
  const plan::Plan& plan = model.evaluation_plan(plans_.batch_of(rows));
  if (plan.out_of_memory)
    throw InputError(Problem{scenario_.place("training.evaluation"),
                             fmt::format("a step of {} does not fit into the memory of the evaluator's {}",
                                         counted(rows, "row"), print(machine_.device().name)),
                             "take a smaller batch, or give the evaluator a larger machine"});
  return clock_.evaluation_step_on(machine_, plan, rows);
}

Seconds Evaluator::evaluation() {
  if (scenario_.job && scenario_.job->evaluation) return *scenario_.job->evaluation;
  const std::int64_t whole = job_.evaluated_rows / job_.global_batch;
  const std::int64_t rest = job_.evaluated_rows % job_.global_batch;
  Seconds time{};
  if (whole > 0) time += step(job_.global_batch) * static_cast<double>(whole);
  if (rest > 0) time += step(rest);
  return time;
}

std::vector<Beside::Evaluation> Evaluator::saved(std::int64_t epochs) {
  const Saving saving = saving_of(scenario_, job_, clock_);
  const std::int64_t steps = scenario::steps_of(scenario_, job_);
  const std::int64_t per_epoch =
      scenario_.training.steps ? steps : scenario::steps_per_epoch(scenario_, job_);
  std::vector<Beside::Evaluation> all;
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    if (!scenario::saves_after(*scenario_.training.checkpointing, epoch, epochs)) continue;
    const auto checkpoints = static_cast<double>(all.size() + 1);
    const Seconds waited = saving.waits.value_or(Seconds(0)) * checkpoints;
    all.push_back(
        {.epoch = epoch - 1, .saved = clock_.time_before(epoch * per_epoch) + waited + saving.written});
  }
  return all;
}

Beside Evaluator::beside(std::int64_t epochs) {
  const std::vector<Beside::Evaluation> checkpoints = saved(epochs);
  std::vector<Seconds> dates;
  for (const Beside::Evaluation& checkpoint : checkpoints) dates.push_back(checkpoint.saved);
  Beside beside{.device = print(machine_.device().name),
                .each = evaluation(),
                .is_given = scenario_.job && scenario_.job->evaluation};
  for (const timing::EvaluationBeside& each : timing::evaluations_beside(dates, beside.each)) {
    Beside::Evaluation evaluation = checkpoints[each.checkpoint];
    evaluation.begin = each.begin;
    evaluation.end = each.end;
    beside.evaluations.push_back(std::move(evaluation));
  }
  beside.skipped = std::ssize(checkpoints) - std::ssize(beside.evaluations);
  if (!dates.empty()) beside.behind = beside.evaluations.back().end - dates.back();
  return beside;
}

}  // namespace wt::session
