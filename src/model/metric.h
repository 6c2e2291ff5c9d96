#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/layer.h"
#include "model/loss.h"

namespace wt::model {

// Metrics. Every metric here is a mean and has two weights, a total and a count. For example, the accuracy of
// 3 correct rows out of 4 is accuracy/total = 3 and accuracy/count = 4. Each replica adds its own rows to its
// own copies of the two weights, and reading a weight sums the copies (on_read variables), so a step needs no
// communication for metrics.

struct MetricCall {
  std::string_view metric{};  // the name of the metric class, for error messages
  Symbol labels{};
  Symbol predictions{};
  double threshold = 0.5;
};

struct MetricClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  bool has_threshold = false;
  Symbol (*values)(const MetricCall& call) = nullptr;  // one value per row; null for Mean, see update_mean
};

std::span<const MetricClass> metrics();

struct Metric {
  const MetricClass* type = nullptr;  // null for "accuracy" until resolve_accuracy has chosen the class
  std::string name{};                 // "mse"; the weights are mse/total and mse/count
  double threshold = 0.5;
};

// The metric of a class name, an alias, or "accuracy". An empty `name` stands for Keras' default name. Throws
// InputError for an unknown class.
Metric metric_named(std::string_view type, std::string name = {});

// Reads a name, or an object with "class_name" and "config" as Keras 2 or 3 writes it. Returns none after a
// problem.
std::optional<Metric> read_metric(const json::Value& value, Problems& problems);

// Chooses the class of "accuracy" (binary, categorical or sparse categorical) by the rules of the given
// semantics. Other metrics are returned unchanged.
Metric resolve_accuracy(Metric metric, const TensorSpec& labels, const TensorSpec& predictions,
                        const Loss& loss, Semantics semantics = Semantics::keras2);

// Keras' update_state(labels, predictions, weight), as part of the step. The weight belongs to the values of the metric
// and may lack their last axes: the mask of a sequence [batch, time], for example, whose steps then count or don't.
// Requires: an "accuracy" has been resolved.
void update_metric(Building& building, const Metric& metric, Symbol labels, Symbol predictions,
                   std::optional<Symbol> weight = {});

// Keras' update_state(values, weight): adds the values to the total and their number to the count, or
// sum(weight * value) and sum(weight) if a weight is given. The mean of losses that were scaled for summation
// over the replicas is the mean loss divided by the number of replicas, since every replica counts its
// values; TensorFlow does the same.
void update_mean(Building& building, const Metric& metric, Symbol values, std::optional<Symbol> weight = {});

// Names of the metric's two weights.
std::string total_name(const Metric& metric);
std::string count_name(const Metric& metric);

// total / count, or 0 if the count is 0. Keras' reset_states corresponds to writing 0 to both weights.
float metric_result(float total, float count);

}  // namespace wt::model
