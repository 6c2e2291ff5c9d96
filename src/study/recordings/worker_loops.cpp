// Recordings `workers_loop_...`: a loop of the program's own under MultiWorkerMirroredStrategy, two epochs over a
// distributed dataset of batches, whose last one may be shorter.

#include <fmt/format.h>

#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "study/recordings/families.h"
#include "study/recordings/workers.h"

namespace wt::recordings {

namespace {

using Symbols = std::vector<Symbol>;

model::Optimizer optimizer_of_loop(const Recording& recording) {
  const bool is_adam = recording.config("optimizer")->string() == "adam";
  model::Optimizer optimizer = model::optimizer_named(is_adam ? "Adam" : "SGD", recording.semantics());
  optimizer.learning_rate = is_adam ? 0.02 : 0.1;
  return optimizer;
}

class WorkerLoop {
 public:
  WorkerLoop(const Recording& recording, Comparison& comparison)
      : recording_(recording), comparison_(comparison), workers_(recording, comparison) {
    state_.preset(recorded_weights(workers_.value(0, "initial")));
  }

  void compare() {
    comparison_.starts_to_compute();
    train();
    for (std::size_t i = 0; i < workers_.count(); ++i) compare_worker(i);
    workers_.require_compared({"initial"});
  }

 private:
  Symbols step(model::Building& tape, const Symbols& inputs) const {
    const Symbol out = (*mlp_)(tape, inputs[0]);
    const Symbol loss = model::compute_average_loss(model::per_example_loss(loss_, inputs[1], out),
                                                    recording_.config("batch")->integer());
    const Symbols variables = tape.trainable();
    model::apply_gradients(tape, optimizer_, variables, tape.trace().gradient(loss, variables),
                           model::learning_rate(tape, optimizer_), {.semantics = recording_.semantics()});
    model::update_metric(tape, accuracy_, inputs[1], out);
    model::update_mean(tape, mean_, loss);
    return {loss};
  }

  void train() {
    const distribute::Strategy& strategy = workers_.strategy();
    const std::int64_t rows = recording_.config("rows")->integer();
    std::vector<std::int64_t> numbers;
    for (std::int64_t row = 0; row < rows; ++row) numbers.push_back(row);
    const RecordedRows given = recorded_rows(rows);
    const data::Dataset dataset =
        data::Dataset::from_tensor_slices({given.x, given.y, Tensor::of<std::int64_t>({rows}, numbers)})
            .batch(recording_.config("batch")->integer());
    const auto scope = strategy.scope();
    train::Function function = strategy.function(
        "step", state_, train::Function::Mode::training,
        [this](model::Building& tape, const Symbols& inputs) { return step(tape, inputs); },
        recording_.semantics());
    const data::DistributedDataset distributed = strategy.experimental_distribute_dataset(dataset);
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      auto batches = distributed.iterate(epoch);
      while (const auto batch = batches.next()) {
        seen_.push_back(*batch);
        losses_.push_back(strategy.run(function, *batch));
      }
    }
  }

  double result_of(const model::Metric& metric) const {
    const float total = state_.read(model::total_name(metric)).values<float>()[0];
    const float count = state_.read(model::count_name(metric)).values<float>()[0];
    return static_cast<double>(model::metric_result(total, count));
  }

  void compare_worker(std::size_t i) const {
    const distribute::Strategy& strategy = workers_.strategy();
    const train::Worker& worker = workers_.worker(i);
    workers_.compare_log(i);
    workers_.compare_text(i, "num_replicas_in_sync", std::to_string(strategy.num_replicas_in_sync()));
    workers_.compare_text(i, "worker_devices", fmt::format("[\"{}\"]", worker.devices.at(0)));
    workers_.compare_text(i, "task", fmt::format("[\"{}\",{}]", *worker.task_type, *worker.task_id));
    std::vector<double> total, own;
    std::string rows;
    for (std::size_t step = 0; step < losses_.size(); ++step) {
      const Tensor sum = strategy.reduce(train::ReduceOp::sum, losses_[step], 0);
      total.push_back(static_cast<double>(sum.values<float>()[0]));
      for (const auto& results : worker.experimental_local_results(losses_[step]))
        own.push_back(static_cast<double>(results[0].values<float>()[0]));
      std::string of_step;
      for (const auto& element : worker.experimental_local_results(seen_[step]))
        of_step += (of_step.empty() ? "" : ",") + list_of(element[2]);
      rows += fmt::format("{}[{}]", rows.empty() ? "" : ",", of_step);
    }
    workers_.compare_numbers(i, "losses", total);
    workers_.compare_numbers(i, "own_losses", own);
    workers_.compare_text(i, "rows", "[" + rows + "]");
    workers_.compare_numbers(i, "metrics", {result_of(accuracy_), result_of(mean_)});
    compare_weights(comparison_, fmt::format("of worker {}", i), state_, workers_.value(i, "final"));
  }

  const Recording& recording_;
  Comparison& comparison_;
  RecordedWorkers workers_;
  train::State state_{1};
  model::LayerPtr mlp_ = recorded_mlp();
  model::Optimizer optimizer_ = optimizer_of_loop(recording_);
  model::Loss loss_ = model::loss_named("SparseCategoricalCrossentropy",
                                        {.from_logits = true, .reduction = model::LossReduction::none});
  model::Metric accuracy_ = model::metric_named("SparseCategoricalAccuracy");
  model::Metric mean_ = model::metric_named("Mean");
  std::vector<std::vector<data::Element>> seen_{};  // by step, what each replica got
  std::vector<train::PerReplica> losses_{};         // by step
};

}  // namespace

void compare_worker_loop(const Recording& recording, Comparison& comparison) {
  WorkerLoop(recording, comparison).compare();
}

}  // namespace wt::recordings
