// F-beta, of counts for each class, and R2, of sums for each output.

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "model/constants.h"
#include "model/mask.h"
#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

// "FBetaScore" for F1Score, too, whose base it is in Keras.
void require_matrices(std::string_view name, Symbol labels, Symbol predictions) {
  if (labels.shape().rank() == 2 && labels.shape() == predictions.shape()) return;
  throw InputError(
      fmt::format("{} expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                  "y_pred.shape={} and y_true.shape={}.",
                  name, shape_in_python(predictions.shape()), shape_in_python(labels.shape())),
      "give labels and predictions one row for each element of the batch");
}

// One weight for each row, as a column.
Symbol column_of(const MetricCall& call, Symbol x) {
  const Symbol weight = as_type(*call.weight, x.spec().type);
  if (weight.shape() != Shape{x.shape()[0]} && weight.shape() != Shape{x.shape()[0], 1})
    throw InputError(fmt::format("Incompatible shapes: {} vs. {}", print(x.shape()), print(weight.shape())),
                     "give one weight for each row");
  return with_rank_of(weight, x);
}

// ---- F-beta

constexpr std::string_view averages[] = {"", "micro", "macro", "weighted"};
enum Average : std::size_t { none, micro, macro, weighted };

// Without a threshold, the largest prediction of a row is positive, unless it is 0.
Symbol is_positive(Symbol predictions, const std::optional<double>& threshold) {
  if (threshold) return greater(predictions, number_like(predictions, *threshold));
  const Symbol largest = reduce_max(predictions, {1}, true);
  return both(negated(less(predictions, largest)), greater(abs(predictions), number_like(predictions, 1e-9)));
}

Growths counts_of_classes(const MetricCall& call) {
  const Symbol predictions = as_wide_float(call.predictions);
  const Symbol labels = as_type(call.labels, predictions.spec().type);
  require_matrices("FBetaScore", labels, predictions);
  const MetricOptions& options = call.metric.options;
  const Symbol positive = cast(is_positive(predictions, options.threshold), labels.spec().type);
  const Symbol one = number_like(labels, 1);
  const auto sum = [&](Symbol x) {
    const Symbol counted = call.weight ? x * column_of(call, x) : x;
    return as_type(options.average == micro ? reduce_sum(counted) : reduce_sum(counted, {0}), Type::float32);
  };
  return {{"true_positives", sum(positive * labels)},
          {"false_positives", sum(positive * (one - labels))},
          {"false_negatives", sum((one - positive) * labels)},
          {"intermediate_weights", sum(labels)}};
}

float share(float part, float whole, Semantics semantics) {
  return is_on(Switch::ratios_add_epsilon, semantics) ? part / (whole + added_to_ratios)
                                                      : ratio_or_zero(part, whole);
}

Tensor f_beta(const MetricRead& read) {
  const auto tp = floats(read, 0), fp = floats(read, 1), fn = floats(read, 2), weights = floats(read, 3);
  const float square = static_cast<float>(read.options.beta) * static_cast<float>(read.options.beta);
  std::vector<float> scores;
  for (std::size_t i = 0; i < tp.size(); ++i) {
    const float precision = share(tp[i], tp[i] + fp[i], read.semantics);
    const float recall = share(tp[i], tp[i] + fn[i], read.semantics);
    scores.push_back(share(precision * recall, square * precision + recall, read.semantics) * (1 + square));
  }
  if (read.options.average == none) return Tensor::of<float>(read.states[0].shape(), scores);
  if (read.options.average != weighted)
    return scalar(std::accumulate(scores.begin(), scores.end(), 0.0F) / static_cast<float>(scores.size()));
  const float all = std::accumulate(weights.begin(), weights.end(), 0.0F);
  float sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) sum += scores[i] * share(weights[i], all, read.semantics);
  return scalar(sum);
}

void read_f1(MetricOptions& options, Arguments& arguments) {
  arguments.choice("average", options.average, averages);
  arguments.number("threshold", options.threshold, {.above = 0.0, .at_most = 1.0});
}

void read_f_beta(MetricOptions& options, Arguments& arguments) {
  read_f1(options, arguments);
  arguments.number("beta", options.beta, {.above = 0.0});
}

// ---- R2

constexpr std::string_view aggregations[] = {"uniform_average", "variance_weighted_average", ""};
enum Pooling : std::size_t { uniform, by_variance, apart };

Growths sums_of_squares(const MetricCall& call) {
  const bool aligns = is_on(Switch::labels_expand, call.semantics);
  const auto [labels, predictions] =
      aligns ? same_rank(call) : Pair{as_wide_float(call.labels), as_wide_float(call.predictions)};
  require_matrices("R2Score", labels, predictions);
  Symbol weights = fill(*labels.trace, labels.spec(), 1);
  if (call.weight) {
    weights = weights * with_rank_of(as_type(*call.weight, labels.spec().type), labels);
    if (weights.shape() != labels.shape()) column_of(call, labels);
  }
  const Symbol weighted_labels = labels * weights;
  const auto sum = [](Symbol x) { return as_type(reduce_sum(x, {0}), Type::float32); };
  const Type whole = is_on(Switch::samples_are_whole, call.semantics) ? Type::int32 : Type::float32;
  return {{"num_samples", fill(*labels.trace, {whole, {}}, static_cast<double>(labels.shape().elements()))},
          {"squared_sum", sum(labels * weighted_labels)},
          {"sum", sum(weighted_labels)},
          {"residual", sum(square(labels - predictions) * weights)},
          {"count", sum(weights)}};
}

// The score for a number of regressors, where there are more samples than these.
float adjusted(float score, float samples, std::int64_t regressors) {
  const auto p = static_cast<float>(regressors);
  return regressors == 0 || p >= samples - 1 ? score : 1 - (1 - score) * (samples - 1) / (samples - p - 1);
}

Tensor r2(const MetricRead& read) {
  const float samples = read.states[0].type() == Type::int32
                            ? static_cast<float>(read.states[0].values<std::int32_t>()[0])
                            : floats(read, 0)[0];
  const auto squares = floats(read, 1), sums = floats(read, 2), residuals = floats(read, 3),
             counts = floats(read, 4);
  std::vector<float> scores;
  float mean = 0, weighted_sum = 0, all = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const float total = squares[i] - sums[i] * (sums[i] / counts[i]);
    const float score = 1 - residuals[i] / total;
    scores.push_back(std::isinf(score) ? 0 : score);
    mean += scores.back() / static_cast<float>(squares.size());
    weighted_sum += total * scores.back();
    all += total;
  }
  if (read.options.aggregation != apart)
    return scalar(adjusted(read.options.aggregation == uniform ? mean : weighted_sum / all, samples,
                           read.options.num_regressors));
  for (float& score : scores) score = adjusted(score, samples, read.options.num_regressors);
  return Tensor::of<float>(read.states[1].shape(), scores);
}

// Keras writes the aggregation None as null, so null does not stand for the default here.
void read_r2(MetricOptions& options, Arguments& arguments) {
  arguments.choice("class_aggregation", options.aggregation, aggregations);
  if (arguments.has_null("class_aggregation")) options.aggregation = apart;
  arguments.integer("num_regressors", options.num_regressors, {.at_least = 0});
}

constexpr std::array<std::string_view, 5> counts_by_class{"true_positives", "false_positives",
                                                          "false_negatives", "intermediate_weights"};

constexpr std::array rows_of_score_metrics{
    MetricClass{.name = "F1Score",
                .aliases = {only_keras3("f1_score")},
                .summary = "harmonic mean of precision and recall, of each class or averaged",
                .states = counts_by_class,
                .arguments = read_f1,
                .compare = counts_of_classes,
                .result = f_beta,
                .better = Better::larger},
    MetricClass{.name = "FBetaScore",
                .summary = "mean of precision and recall, whose weight is beta^2, of each class or averaged",
                .instance = "fbeta_score",
                .states = counts_by_class,
                .arguments = read_f_beta,
                .compare = counts_of_classes,
                .result = f_beta,
                .better = Better::larger},
    MetricClass{.name = "R2Score",
                .aliases = {only_keras3("r2_score")},
                .summary = "share of the labels' variance that the predictions explain",
                .states = {"num_samples", "squared_sum", "sum", "residual", "count"},
                .arguments = read_r2,
                .compare = sums_of_squares,
                .result = r2,
                .better = Better::larger},
};

}  // namespace

std::span<const MetricClass> score_metrics() { return rows_of_score_metrics; }

}  // namespace wt::model
