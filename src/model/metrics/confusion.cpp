#include "model/metrics/confusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/constants.h"
#include "model/layers/slicing.h"

namespace wt::model {

namespace {

// The k largest predictions of each row are kept, the first of equal ones, and the others replaced by `never_positive`.
Symbol filtered(Symbol predictions, std::int64_t k) {
  const std::int64_t classes = predictions.shape().last();
  if (k > classes)
    throw InputError(fmt::format("input must have at least k columns. Had {}, needed {}", classes, k),
                     "choose a \"top_k\" that is at most the number of classes");
  const Symbol lowest = number_like(predictions, never_positive);
  Symbol left = predictions;
  Symbol mask = fill(*predictions.trace, predictions.spec(), 0);
  for (std::int64_t i = 0; i < k; ++i) {
    const Symbol largest = one_hot(argmax(left), classes);
    mask = mask + largest;
    left = left - largest * 1e30;
  }
  return select(equal(mask, number_like(mask, 0)), lowest, predictions);
}

Symbol column(const MetricCall& call, Symbol x, std::int64_t id) {
  if (x.shape().rank() < 2 || id >= x.shape().last())
    refuse(call, fmt::format("\"class_id\" is {}, so that predictions must have more columns", id));
  const std::vector<Slice> slices{{.kind = Slice::Kind::ellipsis},
                                  {.kind = Slice::Kind::range, .start = id, .stop = id + 1}};
  return sliced(x, slices);
}

// A weight that broadcasts to the predictions. Keras 3 adds an axis to it first, and drops one that is too many.
Symbol fitting_weight(const MetricCall& call, Symbol predictions) {
  Symbol weight = as_type(*call.weight, predictions.spec().type);
  if (is_on(Switch::labels_expand, call.semantics)) {
    Shape shape = weight.shape();
    if (shape.rank() < predictions.shape().rank()) shape.append(1);
    weight = reshape(weight, shape);
    if (!fits(shape, predictions.shape())) refuse_shapes(shape, predictions.shape());
    return weight;
  }
  weight = with_near_rank(weight, predictions);
  if (!fits(weight.shape(), predictions.shape()))
    throw InputError(fmt::format("weights can not be broadcast to values. values.rank={}. weights.rank={}. "
                                 "values.shape={}. weights.shape={}.",
                                 predictions.shape().rank(), weight.shape().rank(),
                                 shape_in_python(predictions.shape()), shape_in_python(weight.shape())),
                     "give one weight for each row, or one for each prediction");
  return weight;
}

struct Operands {
  Symbol labels{};
  Symbol predictions{};
  Symbol weights{};  // of the shape of the predictions
};

Operands operands_of(const MetricCall& call) {
  const MetricOptions& options = call.metric.options;
  auto [labels, predictions] = same_shape(call);
  if (predictions.shape().rank() == 0) refuse(call, "predictions must have an axis of rows");
  if (options.from_logits) predictions = sigmoid(predictions);
  if (options.top_k) predictions = filtered(predictions, *options.top_k);
  if (options.class_id) {
    labels = column(call, labels, *options.class_id);
    predictions = column(call, predictions, *options.class_id);
  }
  Symbol weights = fill(*labels.trace, predictions.spec(), 1);
  if (call.weight) weights = weights * fitting_weight(call, predictions);
  if (!options.multi_label && !options.label_weights.empty()) {
    if (static_cast<std::int64_t>(options.label_weights.size()) != predictions.shape().last())
      refuse(call, fmt::format("predictions must have {} columns, as there are \"label_weights\"",
                               options.label_weights.size()));
    weights = weights * constants(*labels.trace, options.label_weights, weights.spec().type);
  }
  return {cast(cast(labels, Type::boolean), weights.spec().type), predictions, weights};
}

Symbol is_above(Symbol predictions, const Thresholds& thresholds) {
  Trace& trace = *predictions.trace;
  const auto count = static_cast<std::int64_t>(thresholds.values.size());
  const Type type = predictions.spec().type;
  if (!thresholds.is_even)
    return greater(predictions, reshape(constants(trace, thresholds.values, type), {count, 1, 1}));
  // The number of a threshold that lies below p is less than p (n - 1).
  Symbol position = clipped(predictions, 0, 1) * static_cast<double>(count - 1);
  if (thresholds.below_zero) position = maximum(position, number_like(position, 0.5));
  return greater(position, reshape(range(trace, {type, {count}}, 1), {count, 1, 1}));
}

}  // namespace

Thresholds thresholds_of(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  bool is_even = values.size() >= 3;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double even = static_cast<double>(i) / (count - 1);
    is_even = is_even && std::abs(values[i] - even) <= 1.0001e-7 + 1e-5 * even;
  }
  const bool below_zero = !values.empty() && values.front() < 0;
  return {std::move(values), is_even, below_zero};
}

std::vector<double> spaced_thresholds(std::int64_t count) {
  if (count == 1) return {0.5};
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  return values;
}

Confusion::Confusion(const MetricCall& call, const Thresholds& thresholds)
    : multi_label_(call.metric.options.multi_label) {
  auto [labels, predictions, weights] = operands_of(call);
  const std::int64_t columns = multi_label_ ? predictions.shape().last() : 1;
  const Shape flat{predictions.shape().elements() / std::max<std::int64_t>(columns, 1), columns};
  const Symbol one = number_like(weights, 1);
  labels_ = reshape(labels * weights, flat);
  others_ = reshape((one - labels) * weights, flat);
  positive_ = cast(is_above(reshape(predictions, flat), thresholds), weights.spec().type);
  negative_ = one - positive_;
}

Symbol Confusion::count(Symbol predicted, Symbol weights) const {
  const Symbol counted = as_type(reduce_sum(predicted * weights, {1}), Type::float32);
  return multi_label_ ? counted : reshape(counted, {counted.shape()[0]});
}

Growths Confusion::all() const {
  return {{four_counts[0], true_positives()},
          {four_counts[1], true_negatives()},
          {four_counts[2], false_positives()},
          {four_counts[3], false_negatives()}};
}

}  // namespace wt::model
