#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "model/layer.h"
#include "model/loss.h"

namespace wt::model {

// Metrics. A metric keeps sums over all rows that it has seen, its states, and computes its result of them. For example,
// the accuracy of 3 correct rows out of 4 has the states accuracy/total = 3 and accuracy/count = 4. Each replica adds
// its own rows to its own copies of the states, and reading a state sums the copies (on_read variables), so a step needs
// no communication for metrics. The result is computed when it is read and is no part of a step.
//
// A metric is one row in a table: what its arguments are, by what a step lets its states grow, and how its result
// follows from the states. metrics/ has a file for each idea: accuracies, errors, sums, losses, counts,
// area, scores, overlap.

// The arguments of Keras' metrics. A row reads those that it has.
struct MetricOptions {
  std::optional<double> threshold{};  // BinaryAccuracy, BinaryIoU, scores: a prediction above it is positive
  std::vector<double> thresholds{};   // counts, Precision, Recall, AUC: none are Keras' default
  std::optional<std::int64_t> top_k{};  // Precision, Recall: the k largest predictions of a row are positive
  std::optional<std::int64_t> class_id{};  // the only class that counts
  double bound = 0;                        // PrecisionAtRecall and its kind: the least recall
  std::int64_t num_thresholds = 200;
  std::size_t curve = 0;      // AUC: ROC, PR, PRGAIN
  std::size_t summation = 0;  // AUC: interpolation, minoring, majoring
  bool multi_label = false;
  std::optional<std::int64_t> num_labels{};
  std::vector<double> label_weights{};
  bool from_logits = false;
  double label_smoothing = 0;
  std::optional<std::int64_t> ignore_class{};
  std::int64_t axis = -1;
  std::int64_t k = 5;                            // accuracy among the k largest
  std::int64_t num_classes = 0;                  // overlap
  std::vector<std::int64_t> target_class_ids{};  // overlap
  bool sparse_labels = true;  // overlap: labels are class numbers, not one number for each class
  bool sparse_predictions = true;
  std::size_t average = 0;      // scores: of each class (none), micro, macro, weighted
  double beta = 1;              // FBetaScore
  std::size_t aggregation = 0;  // R2Score: uniform_average, variance_weighted_average, none
  std::int64_t num_regressors = 0;
  std::vector<double> normalizer{};  // MeanRelativeError
};

struct Metric;

struct MetricCall {
  const Metric& metric;
  std::string_view name{};  // of the class, for error messages
  Symbol labels{};
  Symbol predictions{};
  std::optional<Symbol> weight{};
  Semantics semantics = default_semantics;
};

// What a metric is given that takes values instead of labels and predictions: Mean, Sum, MeanTensor.
struct ValuesCall {
  Symbol values{};
  std::optional<Symbol> weight{};
  Semantics semantics = default_semantics;
};

// By what a step lets a state grow. A state has the type and the shape of its growth, and begins with zeros.
struct Growth {
  std::string_view state{};  // "total"
  Symbol by{};
};
using Growths = std::vector<Growth>;

struct MetricRead {
  const MetricOptions& options;
  std::span<const Tensor> states;  // in the order of the row
  Semantics semantics = default_semantics;
};

// Which results of a metric are better: Keras 3's direction of the class, which its callbacks ask for.
enum class Better : std::uint8_t { unknown, smaller, larger };

struct MetricClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  // Keras' names of a metric that is given by its class, in Keras 3 and in Keras 2; empty: the first alias.
  std::string_view instance{};
  std::string_view instance_in_keras2{};
  std::array<std::string_view, 5> states{};
  bool keras2 = true;  // Keras 2.15 has it
  bool keras3 = true;
  void (*arguments)(MetricOptions& options, Arguments& arguments) = nullptr;  // null: none
  // Exactly one of these two. A metric of the first kind compares labels with predictions, and is the mean or the sum of
  // what it finds if it has `values`.
  Growths (*compare)(const MetricCall& call) = nullptr;
  Growths (*accumulate)(const ValuesCall& call) = nullptr;
  Tensor (*result)(const MetricRead& read) = nullptr;  // float32, of any shape
  std::string_view loss{};  // the loss whose values it is the mean of, if there is one
  Better better = Better::unknown;
};

std::span<const MetricClass> metrics();  // sorted by name

struct Metric {
  const MetricClass* type = nullptr;  // null for "accuracy" until resolve_accuracy has chosen the class
  std::string name{};                 // "mse"; the states are mse/total and mse/count
  MetricOptions options{};
  Alias written{};  // by which it was named; empty: by its class
};

// The metric of a class name, an alias, or "accuracy". An empty `name` stands for Keras' default name. Throws
// InputError for an unknown class.
Metric metric_named(std::string_view type, std::string name = {}, MetricOptions options = {},
                    Semantics semantics = default_semantics);

// Reads a name, or an object with "class_name" and "config" as Keras 2 or 3 writes it. Returns none after a
// problem.
std::optional<Metric> read_metric(const json::Value& value, Problems& problems,
                                  Semantics semantics = default_semantics);

// Throws InputError if the version of Keras has no such metric, or doesn't know the name that was written.
void require_offered(const Metric& metric, Semantics semantics);

// Writes the arguments of a metric as members of its "config".
void write_arguments(json::Writer& out, const Metric& metric);

// Chooses the class of "accuracy" (binary, categorical or sparse categorical) by the rules of the given
// semantics. Other metrics are returned unchanged.
Metric resolve_accuracy(Metric metric, const TensorSpec& labels, const TensorSpec& predictions,
                        const Loss& loss, Semantics semantics = default_semantics);

// The metrics that are passed to Keras' compile().
struct Metrics {
  std::vector<Metric> of_all{};                // of every output
  std::vector<std::vector<Metric>> of_each{};  // and of one output each, in their order; none: no such

  std::vector<Metric> of(std::size_t output) const {
    std::vector<Metric> all = of_all;
    if (output < of_each.size()) all.insert(all.end(), of_each[output].begin(), of_each[output].end());
    return all;
  }
};

// Keras' update_state(labels, predictions, weight), as part of the step. The weight belongs to the values of the metric
// and may lack their last axes: the mask of a sequence [batch, time], for example, whose steps then count or don't.
// Requires: an "accuracy" has been resolved.
void update_metric(Building& building, const Metric& metric, Symbol labels, Symbol predictions,
                   std::optional<Symbol> weight = {});

// Keras' update_state(values, weight) of Mean, Sum and MeanTensor. A mean adds the values to its total and their number
// to its count, or sum(weight * value) and sum(weight) if a weight is given. The mean of losses that were scaled for
// summation over the replicas is the mean loss divided by the number of replicas, since every replica counts its
// values; TensorFlow does the same.
void update_mean(Building& building, const Metric& metric, Symbol values, std::optional<Symbol> weight = {});

// The names of the states' variables, in the order of the row.
std::vector<std::string> state_names(const Metric& metric);

// The result for these states, in the order of state_names. Its shape is that of a scalar for most metrics; Precision
// with three thresholds has three numbers. Keras' reset_state corresponds to writing 0 to all states.
Tensor metric_result(const Metric& metric, std::span<const Tensor> states,
                     Semantics semantics = default_semantics);

// The two states of a mean, and its result: total / count, or 0 if the count is 0.
std::string total_name(const Metric& metric);
std::string count_name(const Metric& metric);
float metric_result(float total, float count);

}  // namespace wt::model
