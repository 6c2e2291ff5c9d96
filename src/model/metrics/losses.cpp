// Metrics that are means of losses. Their values are those of the loss with the same arguments.

#include <fmt/format.h>

#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

LossValues values_of(const MetricCall& call, const Pair& pair) {
  const MetricOptions& own = call.metric.options;
  const Loss loss = loss_named(call.metric.type->loss, {.from_logits = own.from_logits,
                                                        .label_smoothing = own.label_smoothing,
                                                        .axis = own.axis,
                                                        .ignore_class = own.ignore_class});
  return loss_values(loss, pair.labels, pair.predictions, call.semantics);
}

Growths loss_of(const MetricCall& call) { return mean_of(call, values_of(call, same_shape(call)).values); }

// In Keras 3 labels and predictions broadcast: labels [rows] and predictions [rows, 1] are a loss for each pair of rows.
Growths broadcast_loss_of(const MetricCall& call) {
  if (!is_on(Switch::labels_expand, call.semantics)) return loss_of(call);
  return mean_of(call, values_of(call, {call.labels, call.predictions}).values);
}

// Cosines are negative as a loss, and positive as a metric.
Growths cosine_similarity(const MetricCall& call) {
  return mean_of(call, -values_of(call, same_shape(call)).values);
}

// Predictions keep the node that computed them, so that a cross-entropy finds logits below a softmax.
Growths cross_entropy(const MetricCall& call) {
  return mean_of(call, values_of(call, {call.labels, call.predictions}).values);
}

// The loss of an ignored label is 0. Keras 2 doesn't count it either; Keras 3 counts it, unless there are weights.
Growths sparse_cross_entropy(const MetricCall& call) {
  const auto [values, mask] = values_of(call, {call.labels, call.predictions});
  if (!mask) return mean_of(call, values);
  const Symbol counts = cast(*mask, values.spec().type);
  ValuesCall means{values, call.weight, call.semantics};
  if (!is_on(Switch::metrics_average_rows, call.semantics)) {
    means.weight = call.weight ? with_rank_of(*call.weight, counts) * counts : counts;
  } else if (call.weight) {
    if (call.weight->shape() != counts.shape())
      throw InputError(
          fmt::format("Incompatible shapes: {} vs. {}", print(call.weight->shape()), print(counts.shape())),
          "give one weight for each label, or leave \"ignore_class\" out");
    means.weight = *call.weight * counts;
  }
  return mean_of(means);
}

void read_binary(MetricOptions& options, Arguments& arguments) {
  arguments.flag("from_logits", options.from_logits);
  arguments.number("label_smoothing", options.label_smoothing, {.at_least = 0.0, .at_most = 1.0});
}

void read_categorical(MetricOptions& options, Arguments& arguments) {
  read_binary(options, arguments);
  read_axis(options, arguments);
}

void read_sparse(MetricOptions& options, Arguments& arguments) {
  arguments.flag("from_logits", options.from_logits);
  arguments.integer("ignore_class", options.ignore_class);
  read_axis(options, arguments);
}

constexpr MetricClass mean_loss(std::string_view name, const Aliases& aliases, std::string_view summary,
                                std::string_view loss, Growths (*compare)(const MetricCall& call) = loss_of,
                                void (*arguments)(MetricOptions& options, Arguments& arguments) = nullptr) {
  return {.name = name,
          .aliases = aliases,
          .summary = summary,
          .states = {"total", "count"},
          .arguments = arguments,
          .compare = compare,
          .result = mean_result,
          .loss = loss,
          .better = Better::smaller};
}

constexpr MetricClass kl_divergence() {
  MetricClass row =
      mean_loss("KLDivergence", {only_keras3("kl_divergence"), only_keras2("kullback_leibler_divergence")},
                "mean of the sum of label * ln(label / prediction)", "KLDivergence", broadcast_loss_of);
  row.instance_in_keras2 = "kullback_leibler_divergence";
  return row;
}

constexpr MetricClass cosine() {
  MetricClass row = mean_loss("CosineSimilarity", {"cosine_similarity", only_keras2("cosine_proximity")},
                              "mean cosine of the angle between predictions and labels", "CosineSimilarity",
                              cosine_similarity, read_axis);
  row.better = Better::larger;
  return row;
}

constexpr std::array rows_of_loss_metrics{
    mean_loss("BinaryCrossentropy", {"binary_crossentropy", only_keras3("bce"), only_keras3("BCE")},
              "mean cross-entropy of labels that are 0 or 1", "BinaryCrossentropy", loss_of, read_binary),
    mean_loss("CategoricalCrossentropy", {"categorical_crossentropy"},
              "mean cross-entropy of labels that are a distribution over the classes",
              "CategoricalCrossentropy", cross_entropy, read_categorical),
    mean_loss("CategoricalHinge", {"categorical_hinge"},
              "mean of max(1 + the largest wrong prediction - the right one, 0)", "CategoricalHinge",
              broadcast_loss_of),
    cosine(),
    mean_loss("Hinge", {"hinge"}, "mean of max(1 - label * prediction, 0)", "Hinge", broadcast_loss_of),
    kl_divergence(),
    mean_loss("LogCoshError", {only_keras2("logcosh"), only_keras2("log_cosh")},
              "mean of ln cosh(prediction - label)", "LogCosh"),
    mean_loss("MeanAbsoluteError", {"mean_absolute_error", "mae", "MAE"}, "mean of |prediction - label|",
              "MeanAbsoluteError"),
    mean_loss("MeanAbsolutePercentageError", {"mean_absolute_percentage_error", "mape", "MAPE"},
              "mean of 100 |prediction - label| / |label|", "MeanAbsolutePercentageError"),
    mean_loss("MeanSquaredError", {"mean_squared_error", "mse", "MSE"}, "mean of (prediction - label)^2",
              "MeanSquaredError"),
    mean_loss("MeanSquaredLogarithmicError", {"mean_squared_logarithmic_error", "msle", "MSLE"},
              "mean of (ln(prediction + 1) - ln(label + 1))^2", "MeanSquaredLogarithmicError"),
    mean_loss("Poisson", {"poisson"}, "mean of prediction - label * ln prediction", "Poisson",
              broadcast_loss_of),
    mean_loss("SparseCategoricalCrossentropy", {"sparse_categorical_crossentropy"},
              "mean cross-entropy of labels that are class numbers", "SparseCategoricalCrossentropy",
              sparse_cross_entropy, read_sparse),
    mean_loss("SquaredHinge", {"squared_hinge"}, "mean of max(1 - label * prediction, 0)^2", "SquaredHinge",
              broadcast_loss_of),
};

}  // namespace

std::span<const MetricClass> loss_metrics() { return rows_of_loss_metrics; }

}  // namespace wt::model
