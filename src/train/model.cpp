#include "train/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "base/rough.h"
#include "device/error.h"
#include "model/keras_file.h"
#include "model/mask.h"
#include "model/weights.h"
#include "tensor/safetensors.h"
#include "train/optimizer_steps.h"
#include "train/worker_fault.h"

namespace wt::train {

namespace {

LossScaling scaling_of(const CompileOptions& options, std::int64_t replicas, std::size_t output = 0) {
  return {options.loss_scale, options.loss.of(output).options.reduction, options.global_batch, replicas};
}

// Keras multiplies an output's loss by its weight, and adds the products.
ReplicaLoss weighted(const ReplicaLoss& loss, double weight) {
  return weight == 1 ? loss : ReplicaLoss{loss.minimised * weight, loss.shown * weight};
}

// An output of the model and its labels, and how much each row counts.
struct Comparison {
  Symbol labels{};
  Symbol predictions{};
  std::optional<Symbol> weight{};
};

struct Forward {
  std::vector<Comparison> outputs{};
  std::vector<Symbol> losses{};  // of each output as it is shown, without its weight
  ReplicaLoss loss{};            // the sum over the outputs, regularization included
};

// A metric of one output. If a model has several outputs, Keras applies every metric to each of them and
// prefixes its name with that of the output. If the same metric is also measured without weights, the name of the weighted
// one begins with "weighted_".
struct Measured {
  model::Metric metric{};
  std::size_t output = 0;
  bool is_weighted = false;
};

std::vector<Measured> measured(const CompileOptions& options, const model::Layer& layer) {
  const std::vector<std::string> names = layer.output_names();
  std::vector<Measured> all;
  const auto add = [&](model::Metric metric, std::size_t output, bool is_weighted) {
    if (names.size() > 1) metric.name = fmt::format("{}_{}", names[output], metric.name);
    all.push_back({std::move(metric), output, is_weighted});
  };
  for (std::size_t i = 0; i < std::max<std::size_t>(1, names.size()); ++i) {
    const std::vector<model::Metric> plain = options.metrics.of(i);
    for (const model::Metric& metric : plain) add(metric, i, false);
    for (model::Metric metric : options.weighted_metrics.of(i)) {
      if (std::ranges::find(plain, metric.name, &model::Metric::name) != plain.end())
        metric.name = "weighted_" + metric.name;
      add(std::move(metric), i, true);
    }
  }
  return all;
}

// Keras measures the loss of each output of several: price_loss.
std::vector<model::Metric> losses_measured(const CompileOptions& options, const model::Layer& layer) {
  const std::vector<std::string> names = layer.output_names();
  std::vector<model::Metric> metrics;
  if (names.size() > 1 && options.loss_scale == LossScale::keras)
    for (const std::string& name : names) metrics.push_back(model::metric_named("Mean", name + "_loss"));
  return metrics;
}

// Calls the model on the first tensors of the batch, its inputs, and pairs its outputs with the labels that follow. Behind
// them there may be the weights of the rows: one for all outputs, or one for each.
std::vector<Comparison> compare(model::Building& building, const model::Layer& layer,
                                std::span<const Symbol> batch) {
  const std::size_t inputs = std::max<std::size_t>(1, layer.input_specs().size());
  if (batch.size() <= inputs)
    throw InputError(
        fmt::format("[{}] the model has {} inputs and needs labels, and a batch holds {} tensors",
                    layer.name(), inputs, batch.size()),
        "a batch must hold one tensor per input, then one per output");
  const std::span<const Symbol> given = batch.first(inputs), labels = batch.subspan(inputs);
  const std::vector<Symbol> outputs = layer(building, std::vector<Symbol>(given.begin(), given.end()));
  const std::size_t weights = labels.size() - std::min(labels.size(), outputs.size());
  if (labels.size() < outputs.size() || (weights > 1 && weights != outputs.size()))
    throw InputError(fmt::format("[{}] the model has {} outputs, and behind its inputs a batch holds {}",
                                 layer.name(), outputs.size(), counted(std::ssize(labels), "tensor")),
                     "a batch must hold one tensor per input, then the labels of each output, and then no "
                     "weights of rows, one for all outputs, or one for each");
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    comparisons.push_back({labels[i], outputs[i]});
    if (weights > 0) comparisons.back().weight = labels[outputs.size() + (weights > 1 ? i : 0)];
  }
  return comparisons;
}

enum class Use : std::uint8_t { training, evaluation };

// Class weights count in training alone. No version of TensorFlow takes them beside weights of the rows.
std::optional<Symbol> weight_of(const Comparison& output, const CompileOptions& options, Use use) {
  if (use == Use::evaluation || options.class_weight.empty()) return output.weight;
  if (output.weight)
    throw InputError("the rows have sample weights, and there is a class_weight, too",
                     "multiply them, and pass the product as the weights of the rows");
  return model::weight_of_labels(output.labels, options.class_weight);
}

// The batch holds the model's inputs, the labels of its outputs and, if the scaling needs it, the number of
// rows of the step. The sum of the outputs' losses is minimised.
Forward forward(model::Building& building, const model::Layer& layer, std::span<const Symbol> batch,
                const CompileOptions& options, std::int64_t replicas, Use use) {
  const LossScaling scaling = scaling_of(options, replicas);
  std::optional<Symbol> step_rows;
  if (scaling.needs_step_rows()) {
    step_rows = batch.back();
    batch = batch.first(batch.size() - 1);
  }
  Forward result{.outputs = compare(building, layer, batch)};
  model::require_loss_for_each(options.loss, result.outputs.size());
  model::require_weight_for_each(options.loss, result.outputs.size());
  model::require_class_weight(options.class_weight, result.outputs.size(), options.semantics);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    auto& [labels, predictions, weight] = result.outputs[i];
    weight = weight_of(result.outputs[i], options, use);
    const model::WeightedLosses losses =
        model::weighted_losses(options.loss.of(i), model::labels_in_fit(labels, predictions), predictions,
                               options.semantics, {.weight = weight, .mask = building.mask_of(predictions)});
    const ReplicaLoss unweighted = scale_losses(scaling_of(options, replicas, i), losses, step_rows);
    result.losses.push_back(unweighted.shown);
    const ReplicaLoss own = weighted(unweighted, options.loss.weight_of(i));
    result.loss =
        i == 0 ? own : ReplicaLoss{result.loss.minimised + own.minimised, result.loss.shown + own.shown};
  }
  if (const auto penalty = building.regularization())
    result.loss = with_penalty(scaling, result.loss, *penalty);
  return result;
}

const model::Metric& loss_metric() {
  static const model::Metric metric = model::metric_named("Mean", "loss");
  return metric;
}

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

std::int64_t rows_of(const PerReplica& batch) {
  std::int64_t rows = 0;
  for (const std::vector<Tensor>& own : batch) rows += own.front().shape()[0];
  return rows;
}

Tensor one_below_the_other(const std::vector<Tensor>& parts) {
  TensorSpec spec = parts.front().spec();
  spec.shape[0] = 0;
  for (const Tensor& part : parts) spec.shape[0] += part.shape()[0];
  Tensor all = Tensor::zeros(spec);
  std::byte* position = all.bytes().data();
  for (const Tensor& part : parts) {
    std::memcpy(position, part.bytes().data(), part.bytes().size());
    position += part.bytes().size();
  }
  return all;
}

bool is_uneven(const PerReplica& batch) {
  return std::ranges::any_of(batch, [&](const std::vector<Tensor>& own) {
    return own.front().shape()[0] != batch.front().front().shape()[0];
  });
}

void update_metrics(model::Building& building, const Forward& forward, const CompileOptions& options,
                    const std::vector<model::Metric>& losses, const std::vector<Measured>& all) {
  const auto rows = static_cast<double>(forward.outputs[0].labels.shape()[0]);
  const Symbol weight = fill(building.trace(), {forward.loss.shown.spec().type, {}}, rows);
  model::update_mean(building, loss_metric(), forward.loss.shown, weight);
  const bool counts_batches = is_on(model::Switch::losses_of_outputs_count_batches, options.semantics);
  const Symbol weight_of_output =
      counts_batches ? fill(building.trace(), {forward.loss.shown.spec().type, {}}, 1) : weight;
  for (std::size_t i = 0; i < losses.size(); ++i)
    model::update_mean(building, losses[i], forward.losses[i], weight_of_output);
  for (const auto& [metric, output, is_weighted] : all) {
    const auto& [labels, predictions, row_weight] = forward.outputs[output];
    std::optional<Symbol> counts = building.mask_of(predictions);
    if (is_weighted && row_weight) counts = counts ? model::masked_weight(*row_weight, *counts) : *row_weight;
    model::update_metric(building,
                         model::resolve_accuracy(metric, labels.spec(), predictions.spec(),
                                                 options.loss.of(output), options.semantics),
                         labels, predictions, counts);
  }
}

}  // namespace

struct Model::Steps {
  Steps(CompileOptions given, const std::shared_ptr<const model::Layer>& layer, State& state,
        Resources& machine)
      : options(std::move(given)),
        losses(losses_measured(options, *layer)),
        metrics(measured(options, *layer)),
        train(
            "train", options.optimizer, state, machine,
            [this, layer, &machine](model::Building& building, const std::vector<Symbol>& batch,
                                    const model::ApplyOptions& applying) {
              const Forward result =
                  forward(building, *layer, batch, options, machine.input.replicas, Use::training);
              const std::vector<Symbol> variables = building.trainable();
              const Symbol rate = model::learning_rate(building, options.optimizer);
              const Symbol loss = model::scaled_loss(building, options.optimizer, result.loss.minimised);
              model::apply_gradients(building, options.optimizer, variables,
                                     building.trace().gradient(loss, building.values_in_use(variables)), rate,
                                     applying);
              update_metrics(building, result, options, losses, metrics);
              return std::vector<Symbol>{reduce(result.loss.minimised, Reduction::sum)};
            },
            options.semantics),
        evaluate(
            "evaluate", state, machine, Function::Mode::inference,
            [this, layer, &machine](model::Building& building, const std::vector<Symbol>& batch) {
              const Forward result =
                  forward(building, *layer, batch, options, machine.input.replicas, Use::evaluation);
              update_metrics(building, result, options, losses, metrics);
              return std::vector<Symbol>{reduce(result.loss.minimised, Reduction::sum)};
            },
            options.semantics) {}

  CompileOptions options;
  std::vector<model::Metric> losses;  // of each output, if there are several
  std::vector<Measured> metrics;
  OptimizerSteps train;
  Function evaluate;
};

std::vector<std::string> result_names(const CompileOptions& options, const model::Layer& layer) {
  std::vector<std::string> names{"loss"};
  for (const model::Metric& loss : losses_measured(options, layer)) names.push_back(loss.name);
  for (const Measured& each : measured(options, layer)) names.push_back(each.metric.name);
  return names;
}

// Keras 3 looks at scopes when it trains, and Keras 2 here, too.
void Model::compile(CompileOptions options) {
  if (options.semantics != model::Semantics::keras3) made_in_.require_no_other_scope();
  if (machine_.faithful && options.semantics == model::Semantics::keras3) made_in_.require_same_scope();
  steps_ = std::make_shared<Steps>(std::move(options), layer_, state_, machine_);
  predict_.reset();  // It has the semantics of the compiled model.
}

Model::Steps& Model::compiled() const {
  if (!steps_)
    throw device::RuntimeError(
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  made_in_.require_no_other_scope();
  return *steps_;
}

data::DistributedIterator Model::distributed(const data::Dataset& dataset, std::uint64_t epoch,
                                             std::int64_t skipped_steps) const {
  return data::DistributedDataset(dataset, machine_.input).iterate(epoch, skipped_steps);
}

// In the order of the steps of a fit or an evaluation.
Batches Model::batches_of(const data::Dataset& dataset, std::uint64_t epoch,
                          std::int64_t skipped_steps) const {
  return {machine_.coordinated_workers, epoch,
          [&](std::uint64_t number) { return distributed(dataset, number, skipped_steps); }};
}

void Model::require_legal(const data::Dataset& dataset, bool has_steps, bool has_batch_callback) const {
  const bool is_coordinated = machine_.coordinated_workers > 0;
  if (is_coordinated) require_no_refusal({.semantics = semantics()});
  require_end(dataset, has_steps);
  if (is_coordinated)
    require_no_refusal({.semantics = semantics(),
                        .has_batch_callback = has_batch_callback,
                        .run_eagerly = steps_ && steps_->options.run_eagerly});
}

// The steps after which a pass over the dataset ends.
std::int64_t Model::most_steps(const data::Dataset& dataset) const {
  const bool is_own_loop = (steps_ && steps_->options.loop != Loop::fit) || machine_.coordinated_workers > 0;
  // TensorFlow doesn't know how many rows lie in files before it reads them.
  const bool is_known = dataset.files() == nullptr && dataset.cardinality() >= 0;
  return is_own_loop || !is_known ? std::numeric_limits<std::int64_t>::max() : dataset.cardinality();
}

// Splits the batch as a dataset that consists of this batch alone would be split.
PerReplica Model::split(const std::vector<Tensor>& batch) const {
  if (machine_.replicas() == 1) return {batch};
  auto pieces =
      data::DistributedDataset(data::Dataset::from_tensors(batch), data::of_one_batch(machine_.input))
          .iterate()
          .next();
  WT_EXPECT(pieces.has_value(), "the dataset of one batch is empty");
  return std::move(*pieces);
}

PerReplica Model::arguments(PerReplica batch) const {
  if (!scaling_of(steps_->options, machine_.input.replicas).needs_step_rows()) return batch;
  const Tensor rows = Tensor::of<float>({}, {static_cast<float>(rows_of(batch))});
  for (std::vector<Tensor>& own : batch) own.push_back(rows);
  return batch;
}

StepResult Model::train_on_batch(const std::vector<Tensor>& batch) {
  compiled();
  return train_on_pieces(arguments(split(batch)));
}

StepResult Model::train_on_pieces(const PerReplica& arguments, const Function::Next& next) {
  return result_of(arguments, steps_->train.run(arguments, next));
}

StepResult Model::result_of(const PerReplica& arguments, const PerReplica& results) {
  StepResult result{.rows = rows_of(arguments),
                    .is_uneven_mean = steps_->options.loss_scale == LossScale::keras && is_uneven(arguments)};
  result.loss = static_cast<double>(results.front().front().values<float>()[0]);
  result.loss_of_epoch = static_cast<double>(loss_so_far(&Model::metric_of_step));
  result.metrics = metric_results(&Model::metric_of_step);
  return result;
}

std::optional<Fault> Model::fault_of_first_step(const PerReplica& arguments) {
  const CompileOptions& options = steps_->options;
  if (options.loop == Loop::fit) {
    if (auto fault = fault_of_workers(arguments, machine_, options.semantics)) return fault;
    if (auto fault = fault_of_first_batch(arguments, machine_, options.semantics)) return fault;
    if (auto fault = fault_of_executions(options.steps_per_execution, machine_, options.semantics))
      return fault;
  }
  return steps_->train.update().fault_of(arguments, options.loop != Loop::custom_unbuilt);
}

std::optional<Fault> Model::fault_of(const std::vector<Tensor>& batch) {
  compiled();
  return fault_of_first_step(arguments(split(batch)));
}

std::optional<Fault> Model::fault_of_evaluated(const PerReplica& arguments) const {
  if (steps_->options.loop != Loop::fit) return std::nullopt;
  return fault_of_first_batch(arguments, machine_, steps_->options.semantics);
}

std::optional<Fault> Model::fault_of_evaluation(const std::vector<Tensor>& batch) const {
  compiled();
  return fault_of_evaluated(arguments(split(batch)));
}

// Keras' fit builds the optimizer before its first step.
void Model::begin(const PerReplica& arguments) {
  if (!machine_.faithful) return;
  if (const auto fault = fault_of_first_step(arguments)) fault->raise();
  if (steps_->options.loop != Loop::custom_unbuilt) steps_->train.create_variables(arguments);
}

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

// ---- Workers that don't wait for each other

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

model::Semantics Model::semantics() const {
  return steps_ ? steps_->options.semantics : model::default_semantics;
}

// ---- Inference

Function& Model::predicting() {
  if (!predict_)
    predict_.emplace(
        "predict", state_, machine_, Function::Mode::inference,
        [layer = layer_](model::Building& building, const std::vector<Symbol>& inputs) {
          return (*layer)(building, inputs);
        },
        semantics(), true);
  return *predict_;
}

PerReplica Model::inputs_of(PerReplica batch) const {
  const std::size_t inputs = std::max<std::size_t>(1, layer_->input_specs().size());
  for (std::vector<Tensor>& own : batch)
    if (own.size() > inputs) own.erase(own.begin() + static_cast<std::ptrdiff_t>(inputs), own.end());
  return batch;
}

// Keras predicts on the coordinator, which reads the dataset once.
std::vector<Tensor> Model::predict_outputs(const data::Dataset& dataset, const PredictOptions& options) {
  made_in_.require_no_other_scope();
  if (machine_.coordinated_workers > 0) require_no_refusal({.semantics = semantics()});
  require_end(dataset, options.steps.has_value());
  std::vector<std::vector<Tensor>> parts;  // by output
  data::DistributedIterator batches = distributed(dataset);
  const std::int64_t most = options.steps.value_or(most_steps(dataset));
  for (std::int64_t step = 0; step < most; ++step) {
    auto batch = batches.next();
    if (!batch) break;
    const PerReplica inputs = inputs_of(std::move(*batch));
    const PerReplica outputs = predicting().run(inputs);
    parts.resize(outputs.front().size());
    for (const std::size_t replica : batches.replicas_by_rows())
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].push_back(outputs[replica][i]);
    if (options.on_step) options.on_step({.step = step, .rows = rows_of(inputs)});
    if (options.is_interrupted && options.is_interrupted()) break;
  }
  if (parts.empty())
    throw InputError("[predict] the dataset is empty", "pass a dataset with at least one batch");
  std::vector<Tensor> all;
  for (const std::vector<Tensor>& own : parts) all.push_back(one_below_the_other(own));
  return all;
}

const plan::Plan& Model::training_plan(const std::vector<Tensor>& batch) {
  return *shared_training_plan(batch);
}

std::shared_ptr<const plan::Plan> Model::shared_training_plan(const std::vector<Tensor>& batch) {
  return compiled().train.update().plan_for(arguments(split(batch)));
}

std::shared_ptr<const plan::Plan> Model::shared_accumulation_plan(const std::vector<Tensor>& batch) {
  Function* accumulation = compiled().train.accumulation();
  WT_EXPECT(accumulation != nullptr, "{} does not accumulate gradients", steps_->options.optimizer.name);
  return accumulation->plan_for(arguments(split(batch)));
}

const plan::Plan& Model::evaluation_plan(const std::vector<Tensor>& batch) {
  return *compiled().evaluate.plan_for(arguments(split(batch)));
}

const Step& Model::training_step(const std::vector<Tensor>& batch, std::size_t replica) {
  return compiled().train.update().step_for(arguments(split(batch)), replica);
}

std::shared_ptr<const plan::Plan> Model::shared_prediction_plan(const std::vector<Tensor>& batch) {
  return predicting().plan_for(inputs_of(split(batch)));
}

const Step& Model::prediction_step(const std::vector<Tensor>& batch, std::size_t replica) {
  return predicting().step_for(inputs_of(split(batch)), replica);
}

void Model::create_variables(const std::vector<Tensor>& batch) {
  compiled().train.create_variables(arguments(split(batch)));
}

std::map<std::string, Tensor> Model::weights() const {
  std::map<std::string, Tensor> values;
  for (const model::Weight& weight : model::weights_of(*layer_, semantics()))
    if (!std::holds_alternative<model::StreamStart>(weight.initializer.rule))
      values[weight.name] = state_.read(weight.name);
  return values;
}

void Model::save_weights(const std::filesystem::path& path) const {
  if (model::saved_as(path.string()) != model::SavedAs::weights_h5)
    return write_safetensors(path, {.tensors = weights()});
  model::write_weights_h5(path, *layer_, model::weights_of(*layer_, semantics()), weights(), semantics());
}

// Before the first step there are no states, and every result is 0.
Tensor Model::metric_so_far(const model::Metric& metric) const {
  std::vector<Tensor> states;
  for (const std::string& name : model::state_names(metric)) {
    if (!state_.has(name)) return Tensor::zeros({Type::float32, {}});
    states.push_back(state_.read(name));
  }
  return model::metric_result(metric, states, steps_->options.semantics);
}

// Keras 3 computes results in each replica, from its own copies of the states, and averages them. They differ from the
// result of all rows where replicas have different numbers of rows.
Tensor Model::metric_of_step(const model::Metric& metric) const {
  const std::vector<std::string> names = model::state_names(metric);
  const bool is_shared = machine_.variables == VariablePlacement::on_parameter_device;
  if (!machine_.faithful || is_shared || machine_.replicas() == 1 || !state_.has(names.front()) ||
      !is_on(model::Switch::replicas_results_are_averaged, steps_->options.semantics))
    return metric_so_far(metric);
  std::vector<std::vector<Tensor>> states(machine_.replicas());
  for (const std::string& name : names) {
    const std::vector<Tensor> copies = state_.local_results(name);
    if (copies.size() != states.size()) return metric_so_far(metric);
    for (std::size_t replica = 0; replica < copies.size(); ++replica)
      states[replica].push_back(copies[replica]);
  }
  Tensor mean;
  for (const std::vector<Tensor>& own : states) {
    const Tensor result = model::metric_result(metric, own, steps_->options.semantics);
    if (&own == &states.front())
      mean = result.copy();
    else
      for (std::size_t i = 0; i < mean.values<float>().size(); ++i)
        mean.values<float>()[i] += result.values<float>()[i];
  }
  for (float& number : mean.values<float>()) number /= static_cast<float>(states.size());
  return mean;
}

float Model::loss_so_far(Reading reading) const { return (this->*reading)(loss_metric()).values<float>()[0]; }

// A metric with several numbers, such as Precision at three thresholds, has a log for each.
std::vector<Log> Model::metric_results(Reading reading) const {
  std::vector<Log> logs;
  const auto add = [&](const model::Metric& metric) {
    const Tensor result = (this->*reading)(metric);
    const auto numbers = result.values<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      logs.push_back({numbers.size() == 1 ? metric.name : fmt::format("{}[{}]", metric.name, i),
                      static_cast<double>(numbers[i])});
  };
  for (const model::Metric& loss : steps_->losses) add(loss);
  for (const Measured& each : steps_->metrics) add(each.metric);
  return logs;
}

void Model::reset_metrics() {
  const auto reset = [&](const model::Metric& metric) {
    for (const std::string& name : model::state_names(metric)) state_.reset(name);
  };
  reset(loss_metric());
  for (const model::Metric& loss : steps_->losses) reset(loss);
  for (const Measured& each : steps_->metrics) reset(each.metric);
}

}  // namespace wt::train
