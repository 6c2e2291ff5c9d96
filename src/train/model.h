#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "train/function.h"
#include "train/loss_scale.h"

namespace wt::train {

struct CompileOptions {
  model::Loss loss{};
  model::Optimizer optimizer{};
  std::vector<model::Metric> metrics{};
  LossScale loss_scale = LossScale::keras;
  std::int64_t global_batch = 0;  // global_batch needs it
  model::Semantics semantics = model::Semantics::keras2;
};

struct Log {
  std::string name{};
  double value = 0;
  friend bool operator==(const Log&, const Log&) = default;
};

// What a step or an epoch came to. Metrics run on within an epoch, as Keras' progress bar shows them.
struct StepResult {
  std::int64_t epoch = 0;  // both from 0
  std::int64_t step = 0;
  std::int64_t rows = 0;
  double loss = 0;  // regularisation included
  std::vector<Log> metrics{};

  // A mean over each replica's rows, and replicas with different numbers of them: rows don't weigh equally.
  bool is_uneven_mean = false;
};

struct EpochResult {
  std::int64_t epoch = 0;
  std::int64_t steps = 0;
  double loss = 0;
  std::vector<Log> metrics{};
};

struct FitOptions {
  std::int64_t epochs = 1;
  std::int64_t initial_epoch = 0;
  std::optional<std::int64_t> steps_per_epoch{};
  std::optional<std::int64_t> steps{};  // of the whole training
  std::function<void(const StepResult&)> on_step{};
  std::function<void(const EpochResult&)> on_epoch{};  // checkpoints, validation
};

// A Keras model with its training loop: compile, fit, evaluate, predict. A dataset's elements are the model's
// inputs in order, then a tensor of labels for each of its outputs: global batches, which are split over the
// machine's replicas.
class Model {
 public:
  Model(std::shared_ptr<const model::Layer> layer, State& state, Machine& machine)
      : layer_(std::move(layer)), state_(state), machine_(machine) {}

  void compile(CompileOptions options);

  // These throw InputError before the model is compiled.
  std::vector<EpochResult> fit(const data::Dataset& dataset, const FitOptions& options);
  EpochResult evaluate(const data::Dataset& dataset);
  StepResult train_on_batch(const std::vector<Tensor>& batch);

  Tensor predict(const data::Dataset& dataset);  // elements hold inputs only; outputs along axis 0

  // The training step's plan for such a batch; shape-only tensors will do.
  const plan::Plan& training_plan(const std::vector<Tensor>& batch);
  const Step& training_step(const std::vector<Tensor>& batch);

  // The variables of the training step, before its first run: the optimizer's and the metrics', too.
  void create_variables(const std::vector<Tensor>& batch);

  // Keras' save_weights and load_weights, by the variables' names: the model's own, without optimizer,
  // metrics and random streams.
  std::map<std::string, Tensor> weights() const;

 private:
  struct Steps;
  // Functions hold references into the options; they live and die together.
  std::shared_ptr<Steps> steps_{};
  Steps& compiled(std::string_view what) const;
  data::DistributedIterator distributed(const data::Dataset& dataset, std::uint64_t epoch = 0) const;
  PerReplica split(const std::vector<Tensor>& batch) const;
  PerReplica arguments(PerReplica batch) const;
  StepResult train_on_pieces(const PerReplica& arguments, const Function::Next& next = {});
  float metric_so_far(const model::Metric& metric) const;
  float loss_so_far() const;
  std::vector<Log> metric_results() const;
  void reset_metrics();

  std::shared_ptr<const model::Layer> layer_;
  State& state_;
  Machine& machine_;
  std::optional<Function> predict_{};
};

}  // namespace wt::train
