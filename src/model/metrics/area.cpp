// AUC: the area below a curve of ratios of counts, one point for each threshold.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/metrics/confusion.h"

namespace wt::model {

namespace {

constexpr std::string_view curve_names[] = {"ROC", "PR", "PRGAIN"};
constexpr std::string_view summation_names[] = {"interpolation", "minoring", "majoring"};
enum Curve : std::size_t { roc, pr, pr_gain };
enum Summation : std::size_t { interpolation, minoring, majoring };

// Of 0 and 1, whose neighbours beyond them make the first threshold lie below each prediction and the last above.
std::vector<double> thresholds_for(const MetricOptions& options) {
  std::vector<double> values{0};
  if (options.thresholds.empty()) {
    values = spaced_thresholds(options.num_thresholds);
  } else {
    values.insert(values.end(), options.thresholds.begin(), options.thresholds.end());
    std::sort(values.begin(), values.end());
    values.push_back(1);
  }
  values.front() = -epsilon;
  values.back() = 1 + epsilon;
  return values;
}

Thresholds spaced(const MetricOptions& options) {
  std::vector<double> inner = thresholds_for(options);
  inner.front() = 0;
  inner.back() = 1;
  const bool is_even = options.thresholds.empty() || thresholds_of(inner).is_even;
  return {thresholds_for(options), is_even, true};
}

Growths counts(const MetricCall& call) {
  const MetricOptions& options = call.metric.options;
  const Shape& shape = call.predictions.shape();
  if (options.multi_label && shape.rank() != 2)
    refuse(call,
           fmt::format("`y_pred` must have rank 2 when `multi_label=True`. Found rank {}.", shape.rank()));
  if (options.num_labels && *options.num_labels != shape.last())
    refuse(call,
           fmt::format("predictions must have {} columns, as \"num_labels\" says", *options.num_labels));
  const auto weights = static_cast<std::int64_t>(options.label_weights.size());
  if (options.multi_label && weights != 0 && weights != shape.last())
    refuse(call, fmt::format("predictions must have {} columns, as there are \"label_weights\"", weights));
  if (options.curve == pr_gain && !is_on(Switch::areas_have_gains, call.semantics))
    throw InputError(fmt::format("[{}] Invalid AUC curve value: \"PRGAIN\".", call.name),
                     "choose ROC or PR, or semantics keras3");
  return Confusion(call, spaced(options)).all();
}

// The counts at one threshold.
struct Point {
  float tp = 0, tn = 0, fp = 0, fn = 0;
  float recall() const { return ratio_or_zero(tp, tp + fn); }
};

struct Coordinates {
  float x = 0, y = 0;
};

// Flach and Kull, Precision-Recall-Gain Curves, 2015, as Keras 3 has it.
Coordinates gains(const Point& point) {
  if (point.tp == 0) return {0, 1};
  const float scale = ratio_or_zero(point.tp + point.fn, point.tn + point.fp);
  return {std::max(0.0F, 1 - scale * ratio_or_zero(point.fn, point.tp)),
          1 - scale * ratio_or_zero(point.fp, point.tp)};
}

Coordinates coordinates_of(const Point& point, std::size_t curve) {
  if (curve == roc) return {ratio_or_zero(point.fp, point.fp + point.tn), point.recall()};
  if (curve == pr_gain) return gains(point);
  return {point.recall(), ratio_or_zero(point.tp, point.tp + point.fp)};
}

float height(float a, float b, std::size_t summation) {
  if (summation == minoring) return std::min(a, b);
  return summation == majoring ? std::max(a, b) : (a + b) / 2;
}

// Between two points of a PR curve, true and false positives are interpolated, and not the precision: Davis and
// Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006.
float interpolated(const Point& a, const Point& b) {
  const float gained = a.tp - b.tp, pa = a.tp + a.fp, pb = b.tp + b.fp;
  const float slope = ratio_or_zero(gained, std::max(pa - pb, 0.0F));
  const float intercept = b.tp - slope * pb;
  const float ratio = pa > 0 && pb > 0 ? pa / pb : 1;
  return ratio_or_zero(slope * (gained + intercept * std::log(ratio)), std::max(b.tp + b.fn, 0.0F));
}

float area(const std::vector<Point>& points, const MetricOptions& options) {
  float sum = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (options.curve == pr && options.summation == interpolation) {
      sum += interpolated(points[i], points[i + 1]);
      continue;
    }
    const auto [ax, ay] = coordinates_of(points[i], options.curve);
    const auto [bx, by] = coordinates_of(points[i + 1], options.curve);
    sum += (ax - bx) * height(ay, by, options.summation);
  }
  return sum;
}

// The mean over the labels, which may have weights.
Tensor mean_area(const MetricRead& read) {
  const auto tp = floats(read, 0), tn = floats(read, 1), fp = floats(read, 2), fn = floats(read, 3);
  const Shape& shape = read.states[0].shape();
  const std::size_t labels = shape.rank() == 2 ? static_cast<std::size_t>(shape[1]) : 1;
  float sum = 0, weights = 0;
  for (std::size_t label = 0; label < labels; ++label) {
    std::vector<Point> points;
    for (std::size_t i = label; i < tp.size(); i += labels) points.push_back({tp[i], tn[i], fp[i], fn[i]});
    const bool is_weighted = shape.rank() == 2 && !read.options.label_weights.empty();
    const float weight = is_weighted ? static_cast<float>(read.options.label_weights[label]) : 1;
    sum += weight * area(points, read.options);
    weights += weight;
  }
  return scalar(ratio_or_zero(sum, weights));
}

void read_area(MetricOptions& options, Arguments& arguments) {
  arguments.integer("num_thresholds", options.num_thresholds);
  arguments.choice("curve", options.curve, curve_names);
  arguments.choice("summation_method", options.summation, summation_names);
  arguments.numbers("thresholds", options.thresholds);
  arguments.flag("multi_label", options.multi_label);
  arguments.integer("num_labels", options.num_labels, {.at_least = 1});
  arguments.numbers("label_weights", options.label_weights, {.at_least = 0.0});
  arguments.flag("from_logits", options.from_logits);
  if (options.thresholds.empty() && options.num_thresholds <= 1)
    arguments.refuse(
        "num_thresholds",
        fmt::format("Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={}",
                    options.num_thresholds),
        "choose at least two thresholds");
  if (options.num_labels && !options.multi_label)
    arguments.refuse("num_labels", "`num_labels` is needed only when `multi_label` is True.", "leave it out");
}

constexpr std::array rows_of_area_metrics{
    MetricClass{.name = "AUC",
                .aliases = {only_keras3("auc")},
                .summary = "area below the curve of true over false positives, or of precision "
                           "over recall",
                .states = four_counts,
                .arguments = read_area,
                .compare = counts,
                .result = mean_area,
                .better = Better::larger}};

}  // namespace

std::span<const MetricClass> area_metrics() { return rows_of_area_metrics; }

}  // namespace wt::model
