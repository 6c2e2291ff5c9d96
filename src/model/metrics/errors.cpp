// Means of errors that are no losses, and of correlations.

#include <fmt/format.h>

#include <cmath>

#include "model/axes.h"
#include "model/constants.h"
#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

Symbol mean_of_row(Symbol x) { return reduce_mean(x, {x.shape().rank() - 1}); }

Growths squared_errors(const MetricCall& call) {
  const auto [labels, predictions] = same_shape(call);
  return mean_of(call, square(predictions - labels));
}

Growths relative_errors(const MetricCall& call) {
  const auto [labels, predictions] = same_shape(call);
  const Symbol normalizer = constants(*labels.trace, call.metric.options.normalizer);
  const Symbol is_zero = equal(normalizer, number_like(normalizer, 0));
  const Symbol divisor = select(is_zero, number_like(normalizer, 1), normalizer);
  return mean_of(call, select(is_zero, number_like(labels, 0), abs(labels - predictions) / divisor));
}

struct Centred {
  Symbol values{};
  Symbol mean{};
  Symbol variance{};
};

Centred centred(Symbol x) {
  const Shape last{x.shape().rank() - 1};
  const Symbol mean = reduce_mean(x, last, true);
  const Symbol values = x - mean;
  return {values, mean, reduce_mean(square(values), last, true)};
}

Pair along_axis(const MetricCall& call) {
  const Pair pair = same_shape(call);
  const std::vector<int> axis{static_cast<int>(call.metric.options.axis)};
  return {MovedAxes(pair.labels, axis).last(), MovedAxes(pair.predictions, axis).last()};
}

Growths pearson_correlation(const MetricCall& call) {
  const auto [labels, predictions] = along_axis(call);
  const Centred y = centred(labels), p = centred(predictions);
  return mean_of(call, mean_of_row((y.values / sqrt(y.variance)) * (p.values / sqrt(p.variance))));
}

// Keras 3 subtracts the mean of the predictions from the labels, too.
Growths concordance_correlation(const MetricCall& call) {
  const auto [labels, predictions] = along_axis(call);
  const Centred y = centred(labels), p = centred(predictions);
  const Symbol norm = y.variance + p.variance + square(y.mean - p.mean);
  return mean_of(call, mean_of_row((labels - p.mean) * p.values * 2.0 / (norm + epsilon)));
}

Tensor root_result(const MetricRead& read) {
  return scalar(std::sqrt(ratio_or_zero(floats(read, 0)[0], floats(read, 1)[0])));
}

void read_normalizer(MetricOptions& options, Arguments& arguments) {
  arguments.numbers("normalizer", options.normalizer);
  if (options.normalizer.empty())
    arguments.refuse("normalizer", "the metric has no \"normalizer\"", "list one number for each column");
}

constexpr std::array rows_of_error_metrics{
    MetricClass{.name = "ConcordanceCorrelation",
                .aliases = {only_keras3("concordance_correlation")},
                .summary = "mean of the rows' concordance correlation of predictions and labels",
                .states = total_and_count,
                .keras2 = false,
                .arguments = read_axis,
                .compare = concordance_correlation,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{.name = "MeanRelativeError",
                .summary = "mean of |prediction - label| / normalizer",
                .instance = "mean_relative_error",
                .states = total_and_count,
                .keras3 = false,
                .arguments = read_normalizer,
                .compare = relative_errors,
                .result = mean_result},
    MetricClass{.name = "PearsonCorrelation",
                .aliases = {only_keras3("pearson_correlation")},
                .summary = "mean of the rows' correlation of predictions and labels",
                .states = total_and_count,
                .keras2 = false,
                .arguments = read_axis,
                .compare = pearson_correlation,
                .result = mean_result,
                .better = Better::larger},
    MetricClass{.name = "RootMeanSquaredError",
                .aliases = {only_keras3("root_mean_squared_error")},
                .summary = "square root of the mean of (prediction - label)^2",
                .states = total_and_count,
                .compare = squared_errors,
                .result = root_result,
                .better = Better::smaller}};

}  // namespace

std::span<const MetricClass> error_metrics() { return rows_of_error_metrics; }

}  // namespace wt::model
