// Keras' loops over a dataset: fit, whose replicas wait for each other in each step, and evaluate.
#include <algorithm>

#include "train/model_steps.h"

namespace wt::train {

namespace {

// With steps_per_epoch, Keras continues in the dataset where the last epoch ended, unless an epoch is the
// whole dataset.
bool starts_anew(const data::Dataset& dataset, const FitOptions& options) {
  return !options.steps_per_epoch || *options.steps_per_epoch == dataset.cardinality();
}

// Keras 3 rounds the steps of an epoch up to a multiple of steps_per_execution.
std::optional<std::int64_t> whole_executions(std::optional<std::int64_t> steps, const CompileOptions& options,
                                             const Resources& machine) {
  const std::int64_t each = options.steps_per_execution;
  if (!steps || !machine.faithful || !is_on(model::Switch::executions_are_whole, options.semantics))
    return steps;
  return (*steps + each - 1) / each * each;
}

}  // namespace

std::vector<EpochResult> Model::fit(const data::Dataset& dataset, const FitOptions& options) {
  compiled();
  if (options.order) return fit_closures(dataset, options);
  require_legal(dataset, options.steps_per_epoch || options.steps, static_cast<bool>(options.on_step));
  std::vector<EpochResult> history;
  std::int64_t step = 0;
  const auto is_wanted = [&](std::int64_t number) { return !options.steps || number < *options.steps; };
  const std::int64_t steps_in_all = steps_->options.steps_per_execution == 1
                                        ? 0
                                        : data::DistributedDataset(dataset, machine_.input).steps();
  const std::optional<std::int64_t> steps_per_epoch =
      whole_executions(options.steps_per_epoch, steps_->options, machine_);
  std::optional<Batches> batches;
  const auto next = [&]() -> std::optional<PerReplica> {
    auto batch = batches->next();
    return batch ? std::optional(arguments(std::move(*batch))) : std::nullopt;
  };
  bool is_interrupted = false, is_stopped = false;
  for (std::int64_t epoch = options.initial_epoch;
       epoch < options.epochs && is_wanted(step) && !is_interrupted && !is_stopped; ++epoch) {
    if (options.on_epoch_begin) options.on_epoch_begin(epoch);
    reset_metrics();
    EpochResult result{.epoch = epoch};
    const std::int64_t skipped = epoch == options.initial_epoch ? options.skipped_steps : 0;
    const std::int64_t passed = options.reads_from_beginning ? 0 : skipped;
    if (starts_anew(dataset, options))
      batches = batches_of(dataset, static_cast<std::uint64_t>(epoch), passed);
    else if (!batches)
      batches = batches_of(dataset, 0, epoch * *steps_per_epoch + passed);
    const std::int64_t steps_of_epoch = !steps_per_epoch   ? steps_in_all
                                        : steps_in_all > 0 ? std::min(steps_in_all, *steps_per_epoch)
                                                           : *steps_per_epoch;
    const auto ends_execution = [&](std::int64_t made) {
      return made % steps_->options.steps_per_execution == 0 || made == steps_of_epoch;
    };
    const std::int64_t most = steps_per_epoch.value_or(most_steps(dataset)) - skipped;
    const auto is_left = [&](std::int64_t made) { return made < most; };
    std::optional<PerReplica> ahead;  // the next batch, if it was read while the current step computes
    while (is_wanted(step) && is_left(result.steps) && !is_interrupted && !is_stopped) {
      const std::optional<PerReplica> batch = ahead ? std::exchange(ahead, std::nullopt) : next();
      if (!batch) break;
      if (step == 0) begin(*batch);
      StepResult done = train_on_pieces(*batch, [&]() -> const PerReplica* {
        // The end of a worker's dataset is an error of the step that finds it.
        if (machine_.coordinated_workers > 0) return nullptr;
        if (is_wanted(step + 1) && is_left(result.steps + 1)) ahead = next();
        return ahead ? &*ahead : nullptr;
      });
      done.epoch = epoch;
      done.step = step++;
      ++result.steps;
      done.ends_execution = ends_execution(result.steps) || !is_wanted(step);
      if (options.on_step) options.on_step(done);
      is_interrupted = options.is_interrupted && options.is_interrupted();
      is_stopped = options.is_stopped && options.is_stopped();
    }
    result.loss = static_cast<double>(loss_so_far());
    result.metrics = metric_results();
    history.push_back(result);
    if (options.on_epoch) options.on_epoch(result);
    is_stopped = options.is_stopped && options.is_stopped();
  }
  if (options.finalizes && !is_interrupted) overwrite_by_averages(state_, steps_->options.optimizer);
  return history;
}

std::vector<EpochResult> Model::fit(const DatasetCreator& creator, const FitOptions& options) {
  compiled();
  require_end(creator, semantics(), options.steps_per_epoch || options.steps);
  return fit(creator.dataset_fn(), options);
}

EpochResult Model::evaluate(const data::Dataset& dataset, const EvaluateOptions& options) {
  Steps& steps = compiled();
  require_legal(dataset, options.steps.has_value(), static_cast<bool>(options.on_step));
  reset_metrics();
  EpochResult result;
  Batches batches = batches_of(dataset);
  for (const std::int64_t most = options.steps.value_or(most_steps(dataset)); result.steps < most;) {
    auto batch = batches.next();
    if (!batch) break;
    if (machine_.faithful && result.steps == 0)
      if (const auto fault = fault_of_evaluated(*batch)) fault->raise();
    steps.evaluate.run(arguments(std::move(*batch)));
    ++result.steps;
    if (options.on_step) options.on_step(result.steps);
    if (options.is_interrupted && options.is_interrupted()) break;
  }
  result.loss = static_cast<double>(loss_so_far());
  result.metrics = metric_results();
  return result;
}

EpochResult Model::evaluate(const DatasetCreator& creator, const EvaluateOptions& options) {
  compiled();
  require_end(creator, semantics(), options.steps.has_value());
  return evaluate(creator.dataset_fn(), options);
}

}  // namespace wt::train
