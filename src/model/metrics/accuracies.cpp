// Shares of predictions that are right.

#include <fmt/format.h>

#include "model/constants.h"
#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

Symbol matches(Symbol a, Symbol b) { return cast(equal(a, b), Type::float32); }

Shape rows_of(const MetricCall& call) {
  const Shape& shape = call.predictions.shape();
  if (shape.rank() == 0) refuse(call, "predictions must have a last axis");
  return shape.without(shape.rank() - 1);
}

// Class numbers, one for each row of the predictions.
Symbol class_labels(const MetricCall& call) {
  const Shape rows = rows_of(call);
  Shape column = rows;
  column.append(1);
  if (call.labels.shape() != rows && call.labels.shape() != column)
    refuse(call,
           fmt::format("labels must have shape {} or {}, one class per row", print(rows), print(column)));
  const Symbol labels = as_type(call.labels, Type::int64);
  return labels.shape() == rows ? labels : reshape(labels, rows);
}

// The class whose label is the largest.
Symbol largest_labels(const MetricCall& call) {
  rows_of(call);
  if (call.labels.shape() != call.predictions.shape())
    refuse(call, fmt::format("labels must have shape {}, one number per prediction",
                             print(call.predictions.shape())));
  return argmax(as_wide_float(call.labels));
}

Growths accuracy(const MetricCall& call) {
  const auto [labels, predictions] = same_shape(call);
  return mean_of(call, matches(labels, predictions));
}

Growths binary_accuracy(const MetricCall& call) {
  const auto [labels, predictions] = same_shape(call);
  const Symbol threshold = number_like(predictions, call.metric.options.threshold.value_or(0.5));
  return mean_of(call, matches(labels, cast(greater(predictions, threshold), labels.spec().type)));
}

Growths categorical_accuracy(const MetricCall& call) {
  return mean_of(call, matches(argmax(call.predictions), largest_labels(call)));
}

Growths sparse_categorical_accuracy(const MetricCall& call) {
  return mean_of(call, matches(argmax(call.predictions), class_labels(call)));
}

// tf.math.in_top_k: fewer than k predictions are larger than that of the label. A row that is not finite doesn't count,
// nor does a label beyond the classes.
Symbol is_among_largest(Symbol labels, Symbol predictions, std::int64_t k) {
  const Shape last{predictions.shape().rank() - 1};
  const Symbol mask = one_hot(labels, predictions.shape().last());
  const Symbol zero = number_like(predictions, 0);
  const Symbol own = reduce_sum(select(equal(mask, number_like(mask, 1)), predictions, zero), last, true);
  const Symbol larger = reduce_sum(cast(greater(predictions, own), Type::float32), last);
  const Symbol is_finite = matches(reduce_sum(predictions - predictions, last), zero);
  const Symbol is_few = cast(less(larger, number_like(larger, static_cast<double>(k))), Type::float32);
  return is_few * is_finite * reduce_sum(mask, last);
}

Growths top_k_accuracy(const MetricCall& call) {
  return mean_of(
      call, is_among_largest(largest_labels(call), as_wide_float(call.predictions), call.metric.options.k));
}

Growths sparse_top_k_accuracy(const MetricCall& call) {
  return mean_of(
      call, is_among_largest(class_labels(call), as_wide_float(call.predictions), call.metric.options.k));
}

void read_threshold(MetricOptions& options, Arguments& arguments) {
  arguments.number("threshold", options.threshold);
}
void read_k(MetricOptions& options, Arguments& arguments) { arguments.integer("k", options.k); }

constexpr std::array rows_of_accuracy_metrics{
    MetricClass{.name = "Accuracy",
                .summary = "share of predictions that equal their label",
                .instance = "accuracy",
                .states = total_and_count,
                .compare = accuracy,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{.name = "BinaryAccuracy",
                .aliases = {"binary_accuracy"},
                .summary = "share of predictions that are on the same side of the threshold as their label",
                .states = total_and_count,
                .arguments = read_threshold,
                .compare = binary_accuracy,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{.name = "CategoricalAccuracy",
                .aliases = {"categorical_accuracy"},
                .summary = "share of rows whose largest prediction is at the position of their largest label",
                .states = total_and_count,
                .compare = categorical_accuracy,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{.name = "SparseCategoricalAccuracy",
                .aliases = {"sparse_categorical_accuracy"},
                .summary = "share of rows whose largest prediction is at the class that the label names",
                .states = total_and_count,
                .compare = sparse_categorical_accuracy,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{
        .name = "SparseTopKCategoricalAccuracy",
        .aliases = {"sparse_top_k_categorical_accuracy"},
        .summary = "share of rows whose class, which the label names, is among the k largest predictions",
        .states = total_and_count,
        .arguments = read_k,
        .compare = sparse_top_k_accuracy,
        .result = mean_result,
        .better = Better::larger},
    MetricClass{.name = "TopKCategoricalAccuracy",
                .aliases = {"top_k_categorical_accuracy"},
                .summary = "share of rows whose largest label is among the k largest predictions",
                .states = total_and_count,
                .arguments = read_k,
                .compare = top_k_accuracy,
                .result = mean_result,
                .better = Better::larger}};

}  // namespace

std::span<const MetricClass> accuracy_metrics() { return rows_of_accuracy_metrics; }

}  // namespace wt::model
