// Counts of true and false positives and negatives, and ratios of them.

#include <fmt/format.h>

#include <algorithm>

#include "model/metrics/confusion.h"

namespace wt::model {

namespace {

// ---- Arguments

Thresholds given_thresholds(const MetricOptions& options) {
  if (!options.thresholds.empty()) return thresholds_of(options.thresholds);
  return thresholds_of({options.top_k ? never_positive : 0.5});
}

void read_thresholds(MetricOptions& options, Arguments& arguments) {
  arguments.numbers("thresholds", options.thresholds);
  std::string invalid;
  for (const double threshold : options.thresholds)
    if (threshold < 0 || threshold > 1)
      invalid += fmt::format("{}{}", invalid.empty() ? "" : ", ", json::print_number(threshold));
  if (!invalid.empty())
    arguments.refuse("thresholds", fmt::format("Threshold values must be in [0, 1]. Received: [{}]", invalid),
                     "choose thresholds from 0 to 1");
}

void read_class(MetricOptions& options, Arguments& arguments) {
  arguments.integer("class_id", options.class_id, {.at_least = 0});
}

void read_choice(MetricOptions& options, Arguments& arguments) {
  read_thresholds(options, arguments);
  arguments.integer("top_k", options.top_k, {.at_least = 1});
  read_class(options, arguments);
}

// Of the metrics that read the counts where another ratio reaches a bound.
template <const std::string_view& key>
void read_bound(MetricOptions& options, Arguments& arguments) {
  arguments.required(key, options.bound);
  if (options.bound < 0 || options.bound > 1)
    arguments.refuse(key,
                     fmt::format("Argument `{}` must be in the range [0, 1]. Received: {}={}", key, key,
                                 json::print_number(options.bound)),
                     "choose a number from 0 to 1");
  arguments.integer("num_thresholds", options.num_thresholds);
  if (options.num_thresholds <= 0)
    arguments.refuse(
        "num_thresholds",
        fmt::format("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={}",
                    options.num_thresholds),
        "choose at least one threshold");
  read_class(options, arguments);
}

// ---- Counts and ratios of them

template <Symbol (Confusion::*which)() const>
Growths one_count(const MetricCall& call) {
  const Confusion confusion(call, given_thresholds(call.metric.options));
  return {{"accumulator", (confusion.*which)()}};
}

Growths precision(const MetricCall& call) {
  const Confusion confusion(call, given_thresholds(call.metric.options));
  return {{"true_positives", confusion.true_positives()}, {"false_positives", confusion.false_positives()}};
}

Growths recall(const MetricCall& call) {
  const Confusion confusion(call, given_thresholds(call.metric.options));
  return {{"true_positives", confusion.true_positives()}, {"false_negatives", confusion.false_negatives()}};
}

Growths all_counts(const MetricCall& call) {
  return Confusion(call, thresholds_of(spaced_thresholds(call.metric.options.num_thresholds))).all();
}

// One threshold gives a number, and several a vector.
Tensor of_thresholds(const std::vector<float>& values) {
  if (values.size() == 1) return scalar(values.front());
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

Tensor counts(const MetricRead& read) {
  const auto all = floats(read, 0);
  return of_thresholds({all.begin(), all.end()});
}

// a / (a + b) at each threshold.
std::vector<float> ratios(std::span<const float> a, std::span<const float> b) {
  std::vector<float> shares;
  for (std::size_t i = 0; i < a.size(); ++i) shares.push_back(ratio_or_zero(a[i], a[i] + b[i]));
  return shares;
}

Tensor share(const MetricRead& read) { return of_thresholds(ratios(floats(read, 0), floats(read, 1))); }

struct Ratios {
  std::vector<float> sensitivity{};  // also called recall
  std::vector<float> specificity{};
  std::vector<float> precision{};
};

Ratios ratios_of(const MetricRead& read) {
  const auto tp = floats(read, 0), tn = floats(read, 1), fp = floats(read, 2), fn = floats(read, 3);
  return {ratios(tp, fn), ratios(tn, fp), ratios(tp, fp)};
}

// The largest of one ratio among the thresholds where another reaches the bound.
template <std::vector<float> Ratios::*wanted, std::vector<float> Ratios::*constrained>
Tensor largest_where(const MetricRead& read) {
  const Ratios all = ratios_of(read);
  float largest = 0;
  for (std::size_t i = 0; i < (all.*wanted).size(); ++i)
    if ((all.*constrained)[i] >= static_cast<float>(read.options.bound))
      largest = std::max(largest, (all.*wanted)[i]);
  return scalar(largest);
}

constexpr std::string_view recall_key = "recall", precision_key = "precision";
constexpr std::string_view sensitivity_key = "sensitivity", specificity_key = "specificity";

constexpr std::array rows_of_count_metrics{
    MetricClass{.name = "FalseNegatives",
                .aliases = {only_keras3("false_negatives")},
                .summary = "number of true labels whose prediction is not above the threshold",
                .states = {"accumulator"},
                .arguments = read_thresholds,
                .compare = one_count<&Confusion::false_negatives>,
                .result = counts},
    MetricClass{.name = "FalsePositives",
                .aliases = {only_keras3("false_positives")},
                .summary = "number of false labels whose prediction is above the threshold",
                .states = {"accumulator"},
                .arguments = read_thresholds,
                .compare = one_count<&Confusion::false_positives>,
                .result = counts},
    MetricClass{.name = "Precision",
                .aliases = {only_keras3("precision")},
                .summary = "share of true labels among those whose prediction is positive",
                .states = {"true_positives", "false_positives"},
                .arguments = read_choice,
                .compare = precision,
                .result = share,
                .better = Better::larger},
    MetricClass{.name = "PrecisionAtRecall",
                .aliases = {only_keras3("precision_at_recall")},
                .summary = "largest precision among the thresholds whose recall is at least `recall`",
                .states = four_counts,
                .arguments = read_bound<recall_key>,
                .compare = all_counts,
                .result = largest_where<&Ratios::precision, &Ratios::sensitivity>,
                .better = Better::larger},
    MetricClass{.name = "Recall",
                .aliases = {only_keras3("recall")},
                .summary = "share of positive predictions among the true labels",
                .states = {"true_positives", "false_negatives"},
                .arguments = read_choice,
                .compare = recall,
                .result = share,
                .better = Better::larger},
    MetricClass{.name = "RecallAtPrecision",
                .aliases = {only_keras3("recall_at_precision")},
                .summary = "largest recall among the thresholds whose precision is at least `precision`",
                .states = four_counts,
                .arguments = read_bound<precision_key>,
                .compare = all_counts,
                .result = largest_where<&Ratios::sensitivity, &Ratios::precision>,
                .better = Better::larger},
    MetricClass{
        .name = "SensitivityAtSpecificity",
        .aliases = {only_keras3("sensitivity_at_specificity")},
        .summary = "largest sensitivity among the thresholds whose specificity is at least `specificity`",
        .states = four_counts,
        .arguments = read_bound<specificity_key>,
        .compare = all_counts,
        .result = largest_where<&Ratios::sensitivity, &Ratios::specificity>,
        .better = Better::larger},
    MetricClass{
        .name = "SpecificityAtSensitivity",
        .aliases = {only_keras3("specificity_at_sensitivity")},
        .summary = "largest specificity among the thresholds whose sensitivity is at least `sensitivity`",
        .states = four_counts,
        .arguments = read_bound<sensitivity_key>,
        .compare = all_counts,
        .result = largest_where<&Ratios::specificity, &Ratios::sensitivity>,
        .better = Better::larger},
    MetricClass{.name = "TrueNegatives",
                .aliases = {only_keras3("true_negatives")},
                .summary = "number of false labels whose prediction is not above the threshold",
                .states = {"accumulator"},
                .arguments = read_thresholds,
                .compare = one_count<&Confusion::true_negatives>,
                .result = counts},
    MetricClass{.name = "TruePositives",
                .aliases = {only_keras3("true_positives")},
                .summary = "number of true labels whose prediction is above the threshold",
                .states = {"accumulator"},
                .arguments = read_thresholds,
                .compare = one_count<&Confusion::true_positives>,
                .result = counts},
};

}  // namespace

std::span<const MetricClass> count_metrics() { return rows_of_count_metrics; }

}  // namespace wt::model
