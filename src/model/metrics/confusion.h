#pragma once
// Counts of true and false positives and negatives. A prediction above a threshold is positive.

#include "model/metrics/metrics.h"

namespace wt::model {

// Thresholds are evenly spaced if they are at most 1e-7, and a hundred thousandth of their values, from i / (n - 1).
// Keras then finds the number of thresholds below a prediction p as ceil(p (n - 1)), which rounds differently from
// comparing p with each.
struct Thresholds {
  std::vector<double> values{};
  bool is_even = false;
  bool below_zero = false;  // the first is below 0, so that it is below each prediction
};
Thresholds thresholds_of(std::vector<double> values);
std::vector<double> spaced_thresholds(std::int64_t count);  // 0, 1 / (count - 1), ..., 1; 0.5 if there is one

struct Confusion {
  Confusion(const MetricCall& call, const Thresholds& thresholds);

  // The number of each kind at each threshold: [thresholds], or [thresholds, labels] with the option multi_label.
  Symbol true_positives() const { return count(positive_, labels_); }
  Symbol false_positives() const { return count(positive_, others_); }
  Symbol true_negatives() const { return count(negative_, others_); }
  Symbol false_negatives() const { return count(negative_, labels_); }
  // All four, in the order in which Keras 2 lists them.
  Growths all() const;

 private:
  Symbol count(Symbol predicted, Symbol weights) const;

  bool multi_label_ = false;
  Symbol positive_{};  // [thresholds, rows, labels]: 1 where the prediction is above the threshold
  Symbol negative_{};
  Symbol labels_{};  // [rows, labels]: the weight where the label is true
  Symbol others_{};
};

inline constexpr double never_positive =
    -1e10;  // Keras' NEG_INF stands in place of predictions that don't count.

inline constexpr std::array<std::string_view, 5> four_counts{"true_positives", "true_negatives",
                                                             "false_positives", "false_negatives"};

}  // namespace wt::model
