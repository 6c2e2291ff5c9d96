#include "train/model_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/rough.h"
#include "model/mask.h"

namespace wt::train {

LossScaling scaling_of(const CompileOptions& options, std::int64_t replicas, std::size_t output) {
  return {options.loss_scale, options.loss.of(output).options.reduction, options.global_batch, replicas};
}

const model::Metric& loss_metric() {
  static const model::Metric metric = model::metric_named("Mean", "loss");
  return metric;
}

std::int64_t rows_of(const PerReplica& batch) {
  std::int64_t rows = 0;
  for (const std::vector<Tensor>& own : batch) rows += own.front().shape()[0];
  return rows;
}

namespace {

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

Model::Steps::Steps(CompileOptions given, const std::shared_ptr<const model::Layer>& layer, State& state,
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

std::vector<std::string> result_names(const CompileOptions& options, const model::Layer& layer) {
  std::vector<std::string> names{"loss"};
  for (const model::Metric& loss : losses_measured(options, layer)) names.push_back(loss.name);
  for (const Measured& each : measured(options, layer)) names.push_back(each.metric.name);
  return names;
}

}  // namespace wt::train
