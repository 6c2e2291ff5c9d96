// Keras' fit with workers that don't wait for each other: each step is a closure, which one of them executes.
#include <map>
#include <utility>

#include "train/model_steps.h"

namespace wt::train {

// A dataset for each worker, which it reads from the beginning again when it ends.
class Model::WorkersDatasets {
 public:
  WorkersDatasets(const Model& model, const data::Dataset& dataset, std::int64_t skipped_steps)
      : model_(model), dataset_(dataset), skipped_steps_(skipped_steps) {}

  // The first worker reads the rows in the order in which a single replica would.
  PerReplica next(std::int32_t worker) {
    Reading& reading = readings_[worker];
    PerReplica batch = reading.ahead ? *std::exchange(reading.ahead, std::nullopt) : read(reading, worker);
    ++reading.count;
    return batch;
  }

  // The batch that `next` is going to return.
  const PerReplica& look_ahead(std::int32_t worker) {
    Reading& reading = readings_[worker];
    if (!reading.ahead) reading.ahead = read(reading, worker);
    return *reading.ahead;
  }

  // The worker's dataset begins anew. Returns how many batches it had read.
  std::int64_t begin_anew(std::int32_t worker) {
    const std::int64_t count = readings_[worker].count;
    readings_[worker] = {.is_anew = true};
    return count;
  }

 private:
  struct Reading {
    bool is_anew = false;
    std::uint32_t pass = 0;
    std::optional<data::DistributedIterator> batches{};
    std::optional<PerReplica> ahead{};
    std::int64_t count = 0;
  };

  PerReplica read(Reading& reading, std::int32_t worker) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!reading.batches) {
        const std::int64_t skipped = reading.pass == 0 && !reading.is_anew ? skipped_steps_ : 0;
        reading.batches = model_.distributed(
            dataset_, static_cast<std::uint64_t>(worker) << 32U | static_cast<std::uint64_t>(reading.pass++),
            skipped);
      }
      if (auto batch = reading.batches->next()) return model_.arguments(std::move(*batch));
      reading.batches.reset();
    }
    throw InputError("[fit] the dataset is empty", "pass a dataset with at least one batch");
  }

  const Model& model_;
  const data::Dataset& dataset_;
  std::int64_t skipped_steps_;  // of the first pass of each worker
  std::map<std::int32_t, Reading> readings_{};
};

// An epoch ends when all of its closures have: ClusterCoordinator.join.
EpochResult Model::train_closures(WorkersDatasets& datasets, const FitOptions& options, EpochResult epoch,
                                  std::int64_t closures, std::int64_t first_step, bool& is_interrupted) {
  reset_metrics();
  std::map<std::int32_t, PerReplica> given;  // by worker, its batch
  steps_->train.create_variables(datasets.look_ahead(0));
  const ClosureOrder order = options.order(closures);
  ClosureExecution execution(order, machine_.replicas(), state_, machine_.queues);
  const auto arguments = [&](std::int32_t worker) { return given[worker] = datasets.next(worker); };
  const auto done = [&](std::int32_t closure, const PerReplica& results) {
    const std::int32_t worker = order.timeline->closures[static_cast<std::size_t>(closure)].worker;
    StepResult done = result_of(given[worker], results);
    done.epoch = epoch.epoch;
    done.step = first_step + epoch.steps++;
    done.closure = closure;
    if (options.on_step) options.on_step(done);
    is_interrupted = options.is_interrupted && options.is_interrupted();
    return !is_interrupted;
  };
  execution.run(arguments, done, [&](std::int32_t worker) {
    const std::int64_t batches = datasets.begin_anew(worker);
    if (options.on_worker_back) options.on_worker_back(worker, batches);
  });
  epoch.loss = static_cast<double>(loss_so_far());
  epoch.metrics = metric_results();
  return epoch;
}

std::vector<EpochResult> Model::fit_closures(const data::Dataset& dataset, const FitOptions& options) {
  std::vector<EpochResult> history;
  WorkersDatasets datasets(*this, dataset, options.skipped_steps);
  std::int64_t step = 0;
  bool is_interrupted = false;
  for (std::int64_t epoch = options.initial_epoch; epoch < options.epochs && !is_interrupted; ++epoch) {
    std::int64_t closures = options.steps_per_epoch.value_or(dataset.cardinality());
    if (options.steps)
      closures = closures < 0 ? *options.steps - step : std::min(closures, *options.steps - step);
    if (closures <= 0) break;
    if (options.on_epoch_begin) options.on_epoch_begin(epoch);
    history.push_back(train_closures(datasets, options, {.epoch = epoch}, closures, step, is_interrupted));
    step += history.back().steps;
    if (options.on_epoch) options.on_epoch(history.back());
    if (options.is_stopped && options.is_stopped()) break;
    if (history.back().steps < closures) break;  // no worker is left
  }
  if (options.finalizes && !is_interrupted) overwrite_by_averages(state_, steps_->options.optimizer);
  return history;
}

}  // namespace wt::train
