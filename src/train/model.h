// train/ trains models. It offers what a TensorFlow program uses: a Keras model with compile, fit, evaluate
// and predict (this header), functions that are traced once (function.h), tf.distribute.Strategy for a
// program's own loop (strategy.h), checkpoints (checkpoint.h), and single operations as in eager mode
// (eager.h).
//
// A training combines four things: a model (model/layer.h), a dataset (data/dataset.h), a State, which holds
// the values of all variables between steps, and Resources, which holds the strategy and the queues that
// compute. For example,
//
//   State state(7);  // the run's seed
//   Model model(model::zoo_model("linear").build(), state, machine);
//   model.compile({.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("sgd")});
//   const std::vector<EpochResult> history = model.fit(dataset.batch(64), {.epochs = 3});
//
// traces a training step for a batch of 64 rows, lowers it to a plan, and executes this plan for every batch;
// a shorter last batch has a trace and a plan of its own. On two replicas each batch is split into two pieces
// of 32 rows. Each replica computes the gradients of its own piece, and the sum of the replicas' gradients
// updates every copy of the variables. Losses are scaled so that this sum is the gradient of the global batch
// (loss_scale.h).
//
// The state and the machine must outlive the models and functions that use them. The behaviour is that of
// Keras' Model.fit under tf.distribute.Strategy (tensorflow.org/guide/distributed_training,
// keras.io/api/models). Read next: train/function.h, then train/state.h;
// tests/programs/fashion_custom_loop.cpp is a complete training loop.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "model/class_weight.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "train/closures.h"
#include "train/coordinated_fit.h"
#include "train/distributed/contexts.h"
#include "train/function.h"
#include "train/loss_scale.h"

namespace wt::train {

// Whose loop makes the steps: Keras' fit and evaluate, or the program's own, whose optimizer either was built before, with
// optimizer.build(model.trainable_variables), or makes its slots in the first step. They differ in the faults of Keras that
// they meet (train/keras_faults.h), and where a distributed dataset has more steps than the dataset has batches, because
// each worker reads all rows: Keras counts the batches before it distributes them, and ends an epoch there. It can't count
// those of files.
enum class Loop : std::uint8_t { fit, custom, custom_unbuilt };

// The arguments of Keras' compile(), and how losses are scaled.
struct CompileOptions {
  model::Losses loss{};
  model::Optimizer optimizer{};
  model::Metrics metrics{};
  model::Metrics weighted_metrics{};  // these count a row by its weight, as the loss does
  model::ClassWeight
      class_weight{};  // weighs the loss of training steps; Keras has it in fit, which traces the step there
  LossScale loss_scale = LossScale::keras;
  std::int64_t global_batch = 0;  // rows; required by LossScale::global_batch
  model::Semantics semantics = model::default_semantics;
  // Keras' switch for debugging. Steps are traced in any case and give the same numbers. As in Keras, it is
  // refused under parameter servers.
  bool run_eagerly = false;
  // Steps that fit makes in one call of its function. Callbacks see the last of them (StepResult::ends_execution).
  std::int64_t steps_per_execution = 1;
  Loop loop = Loop::fit;
};

// The value of a metric, as in Keras' `logs`.
struct Log {
  std::string name{};
  double value = 0;
  friend bool operator==(const Log&, const Log&) = default;
};

// The result of a step. Its metrics accumulate from the beginning of the epoch, as Keras' progress bar shows
// them.
struct StepResult {
  std::int64_t epoch = 0;                 // counted from 0
  std::int64_t step = 0;                  // counted from 0 over the whole training
  std::int64_t rows = 0;                  // of all replicas, or of the closure
  std::optional<std::int32_t> closure{};  // its number in the order of the epoch; set if workers don't wait
  double loss = 0;                        // of this step alone, regularization included
  double loss_of_epoch = 0;               // its mean since the epoch's beginning, as Keras logs it
  bool ends_execution = true;             // whether Keras calls callbacks after this step
  std::vector<Log> metrics{};

  // True if the loss is scaled as in Keras and the replicas had different numbers of rows. Rows then have
  // different weights.
  bool is_uneven_mean = false;
};

struct EpochResult {
  std::int64_t epoch = 0;
  std::int64_t steps = 0;
  double loss = 0;
  std::vector<Log> metrics{};
};

// The names of the results of an epoch: "loss", those of the outputs if there are several, then the metrics. A model with several outputs has each metric for each
// of them, with the output's name before the metric's.
std::vector<std::string> result_names(const CompileOptions& options, const model::Layer& layer);

// The arguments of Keras' fit().
struct FitOptions {
  std::int64_t epochs = 1;  // as in Keras, fit trains epochs - initial_epoch epochs
  std::int64_t initial_epoch = 0;
  std::optional<std::int64_t> steps_per_epoch{};
  std::optional<std::int64_t> steps{};  // ends the training after this number of steps
  std::int64_t skipped_steps = 0;       // of the first epoch's dataset: an earlier training has made them
  // The dataset begins anew all the same, as after Keras 2's BackupAndRestore: the epoch's first batches are used twice,
  // and as many of its last ones never.
  bool reads_from_beginning = false;
  std::function<void(const StepResult&)> on_step{};
  std::function<void(const EpochResult&)> on_epoch{};  // may save a checkpoint or evaluate
  std::function<void(std::int64_t epoch)> on_epoch_begin{};
  std::function<bool()> is_interrupted{};  // called after each step; true ends the training there
  // Keras' stop_training, which callbacks set: true ends the epoch after a step, and the training after the epoch.
  std::function<bool()> is_stopped{};
  // At the end the weights become their moving averages, if the optimizer keeps some, as in Keras' fit.
  bool finalizes = true;
  // Set if workers don't wait for each other. A step is a closure then, and steps are reported in the order
  // in which they end. Each worker reads the whole dataset, in an order of its own if it is shuffled, and
  // begins again at its end: ClusterCoordinator.create_per_worker_dataset with a dataset that is repeated.
  OrderOfClosures order{};
  // Called when a worker that was lost is back, and begins its dataset anew. It had read so many batches of it.
  std::function<void(std::int32_t worker, std::int64_t batches)> on_worker_back{};
};

// An evaluation may take longer than the training.
struct EvaluateOptions {
  std::optional<std::int64_t> steps{};               // batches; without it, the whole dataset
  std::function<void(std::int64_t done)> on_step{};  // called after each step, with their number so far
  std::function<bool()> is_interrupted{};            // called after each step; true ends the evaluation there
};

// The arguments of Keras' predict(), which may take longer than a training, too.
struct PredictOptions {
  std::optional<std::int64_t> steps{};  // batches; without it, the whole dataset
  std::function<void(const StepResult&)>
      on_step{};                           // called after each step, which has no loss and no metrics
  std::function<bool()> is_interrupted{};  // called after each step; true ends the prediction there
};

// A Keras model with its training loop. An element of a dataset is a global batch: the model's inputs in
// order, then a tensor of labels for each output of the model. It is split over the replicas of the machine.
class Model {
 public:
  Model(std::shared_ptr<const model::Layer> layer, State& state, Resources& machine)
      : layer_(std::move(layer)), state_(state), machine_(machine) {}

  void compile(CompileOptions options);

  // These functions throw device::RuntimeError if the model has not been compiled or is used in the scope of another
  // strategy than it was made in, and device::ValueError for what
  // Keras refuses: an endless dataset without a number of steps, and under parameter servers more
  // (train/coordinated_fit.h).
  std::vector<EpochResult> fit(const data::Dataset& dataset, const FitOptions& options);
  std::vector<EpochResult> fit(const DatasetCreator& creator, const FitOptions& options);
  EpochResult evaluate(const data::Dataset& dataset, const EvaluateOptions& options = {});
  EpochResult evaluate(const DatasetCreator& creator, const EvaluateOptions& options = {});
  StepResult train_on_batch(const std::vector<Tensor>& batch);

  // Returns the outputs for all rows of the dataset, or of so many batches, each concatenated along axis 0 in
  // the order of the rows. The elements of the dataset begin with the model's inputs. Labels and weights behind
  // them are passed over, as in Keras. Throws InputError if the dataset is empty.
  std::vector<Tensor> predict_outputs(const data::Dataset& dataset, const PredictOptions& options = {});
  Tensor predict(const data::Dataset& dataset, std::optional<std::int64_t> steps = {}) {
    return predict_outputs(dataset, {.steps = steps}).front();
  }

  // The plan of a training step on such a batch, and a replica's part of the step. The tensors may lack
  // numbers, since their shapes and types suffice.
  const plan::Plan& training_plan(const std::vector<Tensor>& batch);
  std::shared_ptr<const plan::Plan> shared_training_plan(const std::vector<Tensor>& batch);
  // That of a step that only adds its gradients to those before. Requires: the optimizer accumulates
  // gradients.
  std::shared_ptr<const plan::Plan> shared_accumulation_plan(const std::vector<Tensor>& batch);
  const Step& training_step(const std::vector<Tensor>& batch, std::size_t replica = 0);

  // The plan of a step that predicts such a batch, and a replica's part of it. Labels are passed over.
  std::shared_ptr<const plan::Plan> shared_prediction_plan(const std::vector<Tensor>& batch);
  const Step& prediction_step(const std::vector<Tensor>& batch, std::size_t replica = 0);

  // The plan of an evaluation's step on such a batch.
  const plan::Plan& evaluation_plan(const std::vector<Tensor>& batch);

  // What ends a training, or an evaluation, that begins with such a batch where Resources::faithful is set. The tensors
  // may lack numbers.
  std::optional<Fault> fault_of(const std::vector<Tensor>& batch);
  std::optional<Fault> fault_of_evaluation(const std::vector<Tensor>& batch) const;

  // Adds all variables of the training step to the state, those of the optimizer and the metrics included.
  // Otherwise the first step does this.
  void create_variables(const std::vector<Tensor>& batch);

  // The values that Keras' save_weights saves, by name: the model's own weights, without those of the
  // optimizer and the metrics and without random streams.
  std::map<std::string, Tensor> weights() const;

  // Writes them: as Keras reads them if the name ends with ".weights.h5", otherwise as safetensors.
  void save_weights(const std::filesystem::path& path) const;

 private:
  struct Steps;
  // The traced functions refer to the options, so one object holds both.
  std::shared_ptr<Steps> steps_{};
  Steps& compiled() const;
  model::Semantics semantics() const;  // those it is compiled with, or the default
  data::DistributedIterator distributed(const data::Dataset& dataset, std::uint64_t epoch = 0,
                                        std::int64_t skipped_steps = 0) const;
  Batches batches_of(const data::Dataset& dataset, std::uint64_t epoch = 0,
                     std::int64_t skipped_steps = 0) const;
  std::optional<Fault> fault_of_evaluated(const PerReplica& arguments) const;
  std::optional<Fault> fault_of_first_step(const PerReplica& arguments);
  void begin(const PerReplica& arguments);
  void require_legal(const data::Dataset& dataset, bool has_steps, bool has_batch_callback) const;
  std::int64_t most_steps(const data::Dataset& dataset) const;
  PerReplica split(const std::vector<Tensor>& batch) const;
  PerReplica arguments(PerReplica batch) const;
  PerReplica inputs_of(PerReplica batch) const;
  Function& predicting();
  StepResult train_on_pieces(const PerReplica& arguments, const Function::Next& next = {});
  StepResult result_of(const PerReplica& arguments, const PerReplica& results);
  class WorkersDatasets;
  EpochResult train_closures(WorkersDatasets& datasets, const FitOptions& options, EpochResult epoch,
                             std::int64_t closures, std::int64_t first_step, bool& is_interrupted);
  std::vector<EpochResult> fit_closures(const data::Dataset& dataset, const FitOptions& options);
  Tensor metric_so_far(const model::Metric& metric) const;
  // As callbacks see it after a step.
  Tensor metric_of_step(const model::Metric& metric) const;
  using Reading = Tensor (Model::*)(const model::Metric& metric) const;
  float loss_so_far(Reading reading = &Model::metric_so_far) const;
  std::vector<Log> metric_results(Reading reading = &Model::metric_so_far) const;
  void reset_metrics();

  std::shared_ptr<const model::Layer> layer_;
  State& state_;
  Resources& machine_;
  std::optional<Function> predict_{};
  MadeIn made_in_{};
};

}  // namespace wt::train
