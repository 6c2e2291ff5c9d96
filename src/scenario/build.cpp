#include "scenario/build.h"

#include "base/rough.h"
#include "scenario/callbacks.h"
#include "scenario/check.h"
#include "scenario/closures.h"
#include "scenario/expenses.h"
#include "scenario/inference.h"
#include "scenario/input_files.h"
#include "scenario/job/losses.h"
#include "scenario/job/model.h"
#include "scenario/job/placed.h"
#include "scenario/job/rows.h"
#include "scenario/precision.h"
#include "scenario/printed.h"
#include "scenario/this_machine.h"
#include "scenario/troubles.h"
#include "train/learning_rate.h"

namespace wt::scenario {
namespace {

bool starts_anew(const Training& training, std::int64_t batches) {
  return !training.steps && (!training.steps_per_epoch || *training.steps_per_epoch == batches);
}

// Refuses datasets that have fewer batches than the training has steps.
void check_steps(std::int64_t given, const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  const std::int64_t each = training.steps_per_epoch.value_or(given);
  if (!training.steps && each > 0 && epochs_of(scenario) > json::most / each) {
    problems.add(
        scenario.place("training.epochs"),
        fmt::format("{} epochs of {} steps are more than {} steps", epochs_of(scenario), each, json::most),
        "train fewer");
    return;
  }
  if (given < 0 || starts_anew(training, given)) return;
  const std::int64_t wanted = training.steps ? *training.steps : *training.epochs * *training.steps_per_epoch;
  if (wanted <= given) return;
  problems.add(scenario.place(training.steps ? "training.steps" : "training.steps_per_epoch"),
               fmt::format("{} steps want as many batches, and the dataset ends after {}", wanted, given),
               R"(add "repeat": -1 to "dataset")");
}

void choose_learning_rate(const Scenario& scenario, Job& job, Problems& problems) {
  const std::optional<double> rate = placed(scenario.place("training.learning_rate_by_batch"), problems, [&] {
    const auto& rates = scenario.training.learning_rate_by_batch;
    return rates.empty() ? job.optimizer.learning_rate : train::learning_rate_for(rates, job.global_batch);
  });
  job.optimizer.learning_rate = rate.value_or(0);
}

data::Distribution distribution(const Scenario& scenario, const cluster::Machine& machine) {
  return {.replicas = std::ssize(machine.replicas),
          .workers = machine.tasks,
          .policy = scenario.dataset.autoshard,
          .each_worker_shards = scenario.dataset.shard == Sharding::worker,
          .goes_on_with_empty_replicas = scenario.strategy->goes_on_with_empty_replicas()};
}

std::vector<std::int64_t> rows_of_steps(const Scenario& scenario, const Job& job) {
  const bool reaches_the_last = steps_of(scenario, job) >= job.steps_of_dataset;
  return rows_of_batches(job.rows, job.global_batch, scenario.dataset.drop_remainder || !reaches_the_last);
}

// Plans, memory and the simulated step are those of a whole batch, which such a training never has.
void note_missing_rows(const Scenario& scenario, Job& job) {
  if (job.rows < 0 || job.rows >= job.global_batch) return;
  job.notes.push_back({scenario.place("dataset"),
                       fmt::format("the dataset has {}, and a batch has {}: every step has {}, and the "
                                   "memory and the simulated step are those of a whole batch",
                                   counted(job.rows, "row"), job.global_batch, job.rows),
                       fmt::format("take more rows, or a batch of {}", job.rows)});
}

// In Keras 3 both write variables, or sum gradients, under a condition (Keras 3.15 on TensorFlow 2.21).
void note_what_keras_refuses(const Scenario& scenario, Job& job) {
  const bool is_conditional =
      job.optimizer.accumulation > 1 || (job.optimizer.averages && job.optimizer.averages->overwrite_every);
  if (scenario.semantics != model::Semantics::keras3 || job.input.replicas == 1 || !is_conditional) return;
  job.notes.push_back(
      {scenario.place("training.optimizer"),
       fmt::format("TensorFlow itself raises RuntimeError here: with {} replicas, Keras 3's optimizers "
                   "can neither accumulate gradients nor overwrite weights by their averages",
                   job.input.replicas),
       "leave it out for a training that TensorFlow carries out, too"});
}

void note_missing_price(const Scenario& scenario, Job& job) {
  if (!scenario.cost || !job.machine.platform) return;
  const std::string& platform = job.machine.platform->name();
  if (price_of(scenario, platform) != nullptr) return;
  job.notes.push_back({scenario.place("cost"),
                       fmt::format("{} has no price, so no cost is computed", platform),
                       fmt::format(R"(--price {}="98.32 USD/h")", platform)});
}

void check_file_of_strategy(const Scenario& scenario, Problems& problems) {
  const std::optional<strategy::NamedFile> file = scenario.strategy->file();
  if (!file) return;
  const Place place = scenario.place(file->key);
  placed(place, problems, [&] {
    existing(InputPath{file->path}, place);
    return true;
  });
}

void check_profile(const Scenario& scenario, Problems& problems) {
  placed(scenario.place("time.compute"), problems, [&] {
    profile_of(scenario);
    return true;
  });
}

}  // namespace

bool starts_anew(const Scenario& scenario, const Job& job) {
  return starts_anew(scenario.training, job.steps_of_dataset);
}

bool wants_job_time(const Scenario& scenario, const Job& job) {
  if (!job.machine.platform) return false;
  return scenario.job || price_of(scenario, job.machine.platform->name()) != nullptr;
}

std::vector<model::Metric> all_metrics(const Job& job) {
  std::vector<model::Metric> all;
  for (const model::Metrics* metrics : {&job.metrics, &job.weighted_metrics}) {
    all.insert(all.end(), metrics->of_all.begin(), metrics->of_all.end());
    for (const std::vector<model::Metric>& own : metrics->of_each)
      all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::int64_t epochs_of(const Scenario& scenario) { return scenario.training.epochs.value_or(1); }

std::int64_t steps_of(const Scenario& scenario, const Job& job) {
  if (scenario.training.steps) return *scenario.training.steps;
  const std::int64_t epochs = epochs_of(scenario), each = steps_per_epoch(scenario, job);
  return each > 0 && epochs > json::most / each ? json::most : epochs * each;  // check_steps refuses more
}

std::int64_t steps_per_epoch(const Scenario& scenario, const Job& job) {
  return scenario.training.steps_per_epoch.value_or(job.steps_of_dataset);
}

Job build(const Scenario& scenario) {
  Problems problems;
  Job job;
  configure(scenario, job, problems);
  check_file_of_strategy(scenario, problems);
  check_saving(scenario, problems);
  check_time(scenario, problems);
  check_profile(scenario, problems);
  job.machine = placed(scenario.place("platform"), problems, [&] {
                  return build_machine(scenario);
                }).value_or(cluster::Machine{});
  if (job.machine.platform) check_price(scenario, job.machine, problems);
  check_inference(scenario, job, problems);
  if (!job.machine.replicas.empty()) {
    job.input = distribution(scenario, job.machine);
    job.global_batch = scenario.global_batch(job.input.replicas);
    choose_learning_rate(scenario, job, problems);
  }
  const Place model_place = scenario.place("model");
  job.model = placed(model_place, problems, [&] { return make_model(scenario, job); }).value_or(nullptr);
  if (job.model)
    placed(scenario.place("training.precision"), problems, [&] {
      set_precision(scenario, job);
      return true;
    });
  if (job.model) order_by_outputs(scenario, job, problems);
  if (job.model)
    job.machine.assigned = scenario.strategy->assigned_layers(*job.model, report_to(problems, scenario));
  problems.throw_if_any();

  const std::vector<TensorSpec> inputs = wanted_inputs(*job.model);
  std::optional<model::Forward> forward;
  if (!inputs.empty()) {
    forward = trace_model(*job.model, inputs, scenario, problems);
    problems.throw_if_any();
    check_lists_of_losses(job.loss, forward->outputs.size(), scenario, problems);
    problems.throw_if_any();
  }
  const Purpose purpose = purpose_of(scenario, job, forward);
  job.batches = make_batches(scenario.dataset, purpose, scenario, "dataset", job, problems);
  problems.throw_if_any();
  job.steps_of_dataset = steps_of_dataset(*job.batches, job, "dataset", scenario, problems);
  problems.throw_if_any();
  note_unequal_inputs(scenario, job);
  check_steps(job.steps_of_dataset, scenario, problems);
  job.step_rows = rows_of_steps(scenario, job);
  note_missing_rows(scenario, job);
  note_missing_price(scenario, job);
  note_what_keras_refuses(scenario, job);
  note_what_inference_ignores(scenario, job);
  check_closures(scenario, job, problems);
  problems.throw_if_any();
  job.faults = placed(scenario.place("faults"), problems, [&] {
                 return faults_of(scenario, job.machine, steps_of(scenario, job));
               }).value_or(timing::Faults{});
  make_evaluation(purpose, scenario, job, problems);
  if (!forward) forward = trace_model(*job.model, job.inputs, scenario, problems);
  problems.throw_if_any();

  check_comparisons(*forward, model_place, scenario, job, problems);
  check_callbacks(scenario, job, problems);
  job.weights = forward->weights;
  check_printed(scenario, job, problems);
  note_troubles(scenario, forward->outputs, job);
  job.initial_weights = read_initial_weights(scenario, job, problems);
  problems.throw_if_any();
  return job;
}

}  // namespace wt::scenario
