// Intersection over union of predicted and labelled elements, for each class and averaged.

#include <fmt/format.h>

#include <algorithm>

#include "model/axes.h"
#include "model/constants.h"
#include "model/mask.h"
#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

Symbol flat(Symbol x) { return reshape(x, {x.shape().elements()}); }

// Class numbers in a row. Where there is one number for each class, the largest is chosen.
Symbol class_numbers(Symbol x, bool is_sparse, std::int64_t axis) {
  if (is_sparse) return flat(as_type(x, Type::int64));
  if (axis_of(static_cast<int>(axis), x.spec()) == x.shape().rank() - 1) return flat(argmax(x));
  return flat(argmax(MovedAxes(x, {static_cast<int>(axis)}).last()));
}

[[noreturn]] void refuse_weight(Symbol weight, Symbol labels, bool is_whole) {
  if (is_whole) refuse_shapes(weight.shape(), labels.shape());
  throw InputError(fmt::format("Shapes {} and {} are incompatible", shape_in_python(labels.shape()),
                               shape_in_python(weight.shape())),
                   "give one weight for each class number");
}

// Labels are rows, and predictions are columns. Class numbers beyond the classes count nowhere; Keras 2 raises an error
// at them while it computes. Keras 3 keeps whole numbers, and drops the fractions of weights.
Growths matrix(const MetricCall& call, Symbol labels, Symbol predictions) {
  const MetricOptions& options = call.metric.options;
  if (labels.shape() != predictions.shape())
    refuse(call, "give as many class numbers in labels as in predictions");
  const bool is_whole = is_on(Switch::overlaps_are_whole, call.semantics);
  Symbol weight = fill(*labels.trace, {Type::float32, labels.shape()}, 1);
  if (call.weight) {
    const Symbol given = flat(as_type(*call.weight, Type::float32));
    if (given.shape() != labels.shape()) refuse_weight(given, labels, is_whole);
    weight = is_whole ? cast(cast(given, Type::int64), Type::float32) : given;
  }
  if (options.ignore_class)
    weight = weight * cast(not_equal(labels, static_cast<double>(*options.ignore_class)), Type::float32);
  const Symbol columns = one_hot(predictions, options.num_classes) * with_rank_of(weight, one_hot(labels, 1));
  const Symbol counts = matmul(one_hot(labels, options.num_classes), columns, {.transpose_a = true});
  return {{"total_confusion_matrix", is_whole ? cast(counts, Type::int64) : counts}};
}

// Keras 3 adds the classes along the axis of the tensors, too, and fails for any but -1 and 0.
Growths overlap(const MetricCall& call) {
  const MetricOptions& options = call.metric.options;
  const Growths growths = matrix(call, class_numbers(call.labels, options.sparse_labels, options.axis),
                                 class_numbers(call.predictions, options.sparse_predictions, options.axis));
  if (is_on(Switch::overlaps_are_whole, call.semantics) && options.axis != -1 && options.axis != 0)
    throw InputError(
        fmt::format("Invalid reduction dimension ({} for input with 1 dimension(s)", options.axis),
        "bring the classes to the last axis, or choose semantics keras2");
  return growths;
}

Growths binary_overlap(const MetricCall& call) {
  const Symbol predictions = as_wide_float(call.predictions);
  const Symbol threshold = number_like(predictions, call.metric.options.threshold.value_or(0.5));
  return matrix(call, flat(as_type(call.labels, Type::int64)),
                flat(cast(negated(less(predictions, threshold)), Type::int64)));
}

std::vector<float> numbers_in(const Tensor& matrix) {
  if (matrix.type() == Type::float32) return {matrix.values<float>().begin(), matrix.values<float>().end()};
  std::vector<float> numbers;
  for (const std::int64_t number : matrix.values<std::int64_t>())
    numbers.push_back(static_cast<float>(number));
  return numbers;
}

// The mean over the classes that are labelled or predicted.
Tensor mean_overlap(const MetricRead& read) {
  const std::vector<float> counts = numbers_in(read.states[0]);
  const auto classes = static_cast<std::size_t>(read.options.num_classes);
  const bool adds = is_on(Switch::ratios_add_epsilon, read.semantics);
  float sum = 0, valid = 0;
  for (const std::int64_t id : read.options.target_class_ids) {
    const auto own = static_cast<std::size_t>(id);
    const float both = counts[own * classes + own];
    float either = -both;
    for (std::size_t i = 0; i < classes; ++i) either += counts[own * classes + i] + counts[i * classes + own];
    if (either == 0) continue;
    sum += both / (adds ? either + added_to_ratios : either);
    ++valid;
  }
  return scalar(adds ? sum / (valid + added_to_ratios) : ratio_or_zero(sum, valid));
}

// ---- Arguments

void read_classes(MetricOptions& options, Arguments& arguments) {
  arguments.required("num_classes", options.num_classes, {.at_least = 1});
}

void read_targets(MetricOptions& options, Arguments& arguments) {
  arguments.integers("target_class_ids", options.target_class_ids, {.at_least = 0});
  if (options.target_class_ids.empty())
    return arguments.refuse("target_class_ids", "the metric has no \"target_class_ids\"",
                            "list the classes whose overlap counts");
  const std::int64_t largest = *std::ranges::max_element(options.target_class_ids);
  if (largest >= options.num_classes)
    arguments.refuse(
        "target_class_ids",
        fmt::format("Target class id {} is out of range, which is [0, {}).", largest, options.num_classes),
        "choose classes below \"num_classes\"");
}

void target_all(MetricOptions& options) {
  options.target_class_ids.clear();
  for (std::int64_t id = 0; id < options.num_classes; ++id) options.target_class_ids.push_back(id);
}

void read_predictions(MetricOptions& options, Arguments& arguments) {
  arguments.integer("ignore_class", options.ignore_class);
  arguments.flag("sparse_y_pred", options.sparse_predictions);
  arguments.integer("axis", options.axis);
}

void read_one(MetricOptions& options, Arguments& arguments) {
  read_classes(options, arguments);
  read_targets(options, arguments);
  arguments.flag("sparse_y_true", options.sparse_labels);
  read_predictions(options, arguments);
}

void read_mean(MetricOptions& options, Arguments& arguments) {
  read_classes(options, arguments);
  arguments.flag("sparse_y_true", options.sparse_labels);
  read_predictions(options, arguments);
  target_all(options);
}

void begin_one_hot(MetricOptions& options, const Arguments& arguments) {
  if (!arguments.reads()) return;
  options.sparse_labels = false;
  options.sparse_predictions = false;
}

void read_one_hot(MetricOptions& options, Arguments& arguments) {
  begin_one_hot(options, arguments);
  read_classes(options, arguments);
  read_targets(options, arguments);
  read_predictions(options, arguments);
}

void read_one_hot_mean(MetricOptions& options, Arguments& arguments) {
  begin_one_hot(options, arguments);
  read_classes(options, arguments);
  read_predictions(options, arguments);
  target_all(options);
}

void read_two_classes(MetricOptions& options, Arguments& arguments) {
  options.num_classes = 2;
  if (options.target_class_ids.empty()) target_all(options);
  read_targets(options, arguments);
  arguments.number("threshold", options.threshold);
}

constexpr MetricClass over_union(std::string_view name, const char* alias, std::string_view summary,
                                 void (*arguments)(MetricOptions& options, Arguments& arguments),
                                 Growths (*compare)(const MetricCall& call) = overlap) {
  return {.name = name,
          .aliases = {only_keras3(alias)},
          .summary = summary,
          .states = {"total_confusion_matrix"},
          .arguments = arguments,
          .compare = compare,
          .result = mean_overlap,
          .better = Better::larger};
}

constexpr std::array rows_of_overlap_metrics{
    over_union("BinaryIoU", "binary_io_u", "mean overlap of predictions and labels that are 0 or 1",
               read_two_classes, binary_overlap),
    over_union("IoU", "io_u", "mean overlap of the predictions and labels of some classes", read_one),
    over_union("MeanIoU", "mean_io_u", "mean overlap of predictions and labels over all classes", read_mean),
    over_union("OneHotIoU", "one_hot_io_u",
               "mean overlap of some classes, with one number for each class in labels and predictions",
               read_one_hot),
    over_union("OneHotMeanIoU", "one_hot_mean_io_u",
               "mean overlap over all classes, with one number for each class in labels and predictions",
               read_one_hot_mean),
};

}  // namespace

std::span<const MetricClass> overlap_metrics() { return rows_of_overlap_metrics; }

}  // namespace wt::model
