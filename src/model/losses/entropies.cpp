// Cross-entropies. The formulas are those of losses.py and of the backends of Keras 2.15 and 3. A cross-entropy has two
// forms: one on logits, which is numerically stable, and one on probabilities, which are clipped to
// [epsilon, 1 - epsilon] before the logarithm.

#include <fmt/format.h>

#include "base/log.h"
#include "model/axes.h"
#include "model/losses/losses.h"
#include "model/losses/producer.h"
#include "model/mask.h"

namespace wt::model {

namespace {

Symbol clipped_probability(Symbol p) { return clipped(p, epsilon, 1 - epsilon); }

// Returns the logits, or none if the predictions are probabilities that were not computed by this activation.
// Keras recovers logits in the same way (_get_logits in its backends).
std::optional<Symbol> logits_of(const LossCall& call, std::string_view activation) {
  const bool from_logits = call.options.from_logits;
  const std::optional<Symbol> recovered = input_of(call.predictions, activation);
  if (!from_logits) return recovered;
  if (!recovered || !is_on(Switch::logits_recovered_despite_from_logits, call.semantics))
    return call.predictions;
  warn(
      "{} has from_logits=true, but its predictions are the output of a {} and not logits; the loss is "
      "computed "
      "from the input of the {}",
      call.loss, activation, activation);
  return recovered;
}

// Throws InputError with the text of the version unless labels and predictions have one shape.
void require_one_shape(const LossCall& call, const std::string& text_in_keras2) {
  const Shape y = call.labels.shape(), p = call.predictions.shape();
  if (y == p) return;
  const std::string remedy(labels_remedy);
  if (!is_on(Switch::entropies_name_target_and_output, call.semantics))
    throw InputError(text_in_keras2, remedy);
  throw InputError(
      fmt::format("Arguments `target` and `output` must have the same {}. Received: target.shape={}, "
                  "output.shape={}",
                  y.rank() == p.rank() ? "shape" : "rank (ndim)", shape_in_python(y), shape_in_python(p)),
      remedy);
}

int own_axis(const LossCall& call) {
  return axis_of(static_cast<int>(call.options.axis), call.predictions.spec());
}
Symbol with_last(Symbol x, int axis) {
  return axis == x.shape().rank() - 1 ? x : MovedAxes(x, {axis}).last();
}

// ---- Labels 0 and 1

Symbol smooth_binary_labels(const LossCall& call) {
  const Symbol labels = labels_of(call);
  const double smoothing = call.options.label_smoothing;
  return smoothing == 0 ? labels : labels * (1 - smoothing) + smoothing * 0.5;
}

void require_binary_shapes(const LossCall& call) {
  const Shape y = call.labels.shape(), p = call.predictions.shape();
  if (call.options.from_logits || is_on(Switch::entropies_name_target_and_output, call.semantics))
    require_one_shape(call,
                      fmt::format("`logits` and `labels` must have the same shape, received ({} vs {}).",
                                  shape_in_python(p), shape_in_python(y)));
  require_broadcast(y, p, std::string(labels_remedy));
}

// Of each element; the kernel averages over rows of one element.
Symbol binary_entropies_of_logits(Symbol logits, Symbol labels) {
  Shape column = logits.shape();
  column.append(1);
  return binary_cross_entropy(reshape(logits, column), reshape(labels, column));
}

Symbol binary_entropies(const LossCall& call, Symbol labels) {
  if (const auto logits = logits_of(call, "sigmoid")) return binary_entropies_of_logits(*logits, labels);
  const bool adds_epsilon = is_on(Switch::binary_cross_entropy_epsilon_in_log, call.semantics);
  const auto log_of = [&](Symbol p) { return log(adds_epsilon ? p + epsilon : p); };
  const Symbol one = number_like(labels, 1);
  const Symbol p = clipped_probability(call.predictions);
  return -(labels * log_of(p) + (one - labels) * log_of(one - p));
}

LossValues binary(const LossCall& call) {
  require_binary_shapes(call);
  const Symbol labels = smooth_binary_labels(call);
  const int axis = own_axis(call);
  if (axis == call.predictions.shape().rank() - 1)
    if (const auto logits = logits_of(call, "sigmoid")) return binary_cross_entropy(*logits, labels);
  return reduce_mean(binary_entropies(call, labels), {axis});
}

constexpr double focal_alpha = 0.25, focal_gamma = 2;

// Lin et al., 2017: probabilities that are nearly right weigh less.
LossValues binary_focal(const LossCall& call) {
  require_binary_shapes(call);
  const auto& options = call.options;
  const double alpha = options.alpha.value_or(focal_alpha);
  const Symbol y = smooth_binary_labels(call);
  const Symbol p = options.from_logits ? sigmoid(call.predictions) : call.predictions;
  const Symbol of_label = y * p + (-y + 1.0) * (-p + 1.0);
  Symbol values = power(-of_label + 1.0, options.gamma.value_or(focal_gamma)) * binary_entropies(call, y);
  if (options.apply_class_balancing) values = (y * alpha + (-y + 1.0) * (1 - alpha)) * values;
  return reduce_mean(values, {own_axis(call)});
}

// ---- Labels that are a distribution over the classes

// The classes are counted on the axis of the loss, or on the last one.
Symbol smooth_labels(const LossCall& call, bool counts_the_axis) {
  const Symbol labels = labels_of(call);
  const double smoothing = call.options.label_smoothing;
  if (smoothing == 0) return labels;
  const Shape shape = labels.shape();
  const auto classes = static_cast<double>(counts_the_axis ? shape[own_axis(call)] : shape.last());
  return labels * (1 - smoothing) + smoothing / classes;
}

void require_distribution(const LossCall& call) {
  require_one_shape(call,
                    fmt::format("Shapes {} and {} are incompatible", shape_in_python(call.labels.shape()),
                                shape_in_python(call.predictions.shape())));
}

// Probabilities are divided by their sum first, so that those of each row add up to 1.
Symbol normalized(Symbol p, int axis) { return clipped_probability(p / reduce_sum(p, {axis}, true)); }

LossValues categorical(const LossCall& call) {
  require_distribution(call);
  const Symbol labels = smooth_labels(call, is_on(Switch::smoothing_counts_the_axis, call.semantics));
  const int axis = own_axis(call);
  if (const auto logits = logits_of(call, "softmax"))
    return softmax_cross_entropy(with_last(*logits, axis), with_last(labels, axis));
  return -reduce_sum(labels * log(normalized(call.predictions, axis)), {axis});
}

LossValues categorical_focal(const LossCall& call) {
  require_distribution(call);
  const Symbol labels = smooth_labels(call, false);
  const int axis = own_axis(call);
  const MovedAxes moved(call.predictions, {axis});
  const Symbol p =
      normalized(call.options.from_logits ? moved.back(softmax(moved.last())) : call.predictions, axis);
  const Symbol weight =
      power(-p + 1.0, call.options.gamma.value_or(focal_gamma)) * call.options.alpha.value_or(focal_alpha);
  return reduce_sum(weight * (-labels * log(p)), {axis});
}

// ---- Labels that are class numbers

// The axis of classes comes last. Keras 3 has no other.
LossCall with_classes_last(const LossCall& call) {
  const int axis = own_axis(call), last = call.predictions.shape().rank() - 1;
  if (axis == last) return call;
  if (is_on(Switch::entropies_name_target_and_output, call.semantics))
    throw InputError(fmt::format("Only axis=-1 is currently supported. Received: axis={}", call.options.axis),
                     "move the classes to the last axis");
  LossCall moved = call;
  moved.predictions = with_last(call.predictions, axis);
  return moved;
}

// As int32 or int64, one for each row of the predictions.
Symbol class_labels(const LossCall& call) {
  const Shape y = call.labels.shape(), p = call.predictions.shape();
  const Shape rows = p.without(p.rank() - 1);
  Shape column = rows;
  column.append(1);
  if (y != rows && y != column) {
    const bool is_three = is_on(Switch::entropies_name_target_and_output, call.semantics);
    const std::string labels = shape_in_python(y), predictions = shape_in_python(p);
    throw InputError(
        !is_three ? fmt::format("`labels.shape` must equal `logits.shape` except for the last dimension. "
                                "Received: labels.shape={} and logits.shape={}",
                                labels, predictions)
        : y.rank() != rows.rank()
            ? fmt::format("Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
                          "target.shape={}, output.shape={}",
                          labels, predictions)
            : fmt::format("Arguments `target` and `output` must have the same shape up until the last "
                          "dimension: target.shape={}, output.shape={}",
                          labels, predictions),
        fmt::format("labels must have shape {} or {}, one class per row", print(rows), print(column)));
  }
  const Type type = call.labels.spec().type;
  const Symbol labels = type == Type::int32 ? call.labels : as_type(call.labels, Type::int64);
  return y == rows ? labels : reshape(labels, rows);
}

// For probabilities, Keras passes log p to the kernel for logits. The kernel normalizes its input, which adds
// log(sum p) to the loss; this is 0 if the probabilities of a row add up to 1.
Symbol sparse_entropies(const LossCall& call, Symbol labels) {
  if (const auto logits = logits_of(call, "softmax")) return sparse_softmax_cross_entropy(*logits, labels);
  return sparse_softmax_cross_entropy(log(clipped_probability(call.predictions)), labels);
}

// Rows of the ignored class have the loss 0 and are masked.
LossValues sparse_categorical(const LossCall& given) {
  LossCall call = with_classes_last(given);
  const Symbol labels = class_labels(call);
  if (!call.options.ignore_class) return sparse_entropies(call, labels);
  const Symbol counts = not_equal(labels, static_cast<double>(*call.options.ignore_class));
  const Symbol zero = number_like(call.predictions, 0);
  if (is_on(Switch::ignored_predictions_are_zero, call.semantics)) {
    Shape column = counts.shape();
    column.append(1);
    call.predictions = select(reshape(counts, column), call.predictions, zero);
  }
  const Symbol values = sparse_entropies(call, select(counts, labels, number_like(labels, 0)));
  return {select(counts, values, zero), counts};
}

// Zhang and Sabuncu, 2018: between cross-entropy (q near 0) and absolute error (q near 1), for labels that may be wrong.
LossValues generalized(const LossCall& call) {
  const double q = call.options.q;
  const Symbol p = call.predictions;
  const Symbol labels = as_type(one_hot(call.labels, p.shape().last()), p.spec().type);
  require_broadcast(p.shape(), labels.shape(), std::string(labels_remedy));
  return (-power(sum_of_row(p * labels), q) + 1.0) / q;
}

// ---- Rows

void read_entropy(LossOptions& options, Arguments& arguments) {
  arguments.flag("from_logits", options.from_logits);
  arguments.number("label_smoothing", options.label_smoothing, {.at_least = 0.0, .at_most = 1.0});
  read_axis(options, arguments);
}

void read_categorical_focal(LossOptions& options, Arguments& arguments) {
  read_entropy(options, arguments);
  options.alpha = options.alpha.value_or(focal_alpha);
  options.gamma = options.gamma.value_or(focal_gamma);
  arguments.number("alpha", *options.alpha);
  arguments.number("gamma", *options.gamma);
}

void read_binary_focal(LossOptions& options, Arguments& arguments) {
  read_categorical_focal(options, arguments);
  arguments.flag("apply_class_balancing", options.apply_class_balancing);
}

void read_sparse(LossOptions& options, Arguments& arguments) {
  arguments.flag("from_logits", options.from_logits);
  arguments.integer("ignore_class", options.ignore_class);
  read_axis(options, arguments);
}

void read_generalized(LossOptions& options, Arguments& arguments) {
  arguments.number("q", options.q, {.above = 0.0, .at_most = 1.0});
  if (options.q == 1) arguments.refuse("q", "q must be in the interval (0, 1)", "write MeanAbsoluteError");
}

constexpr std::array rows_of_entropy_losses{
    LossClass{.name = "BinaryCrossentropy",
              .aliases = {"binary_crossentropy", "bce", "BCE"},
              .summary = "cross-entropy of labels that are 0 or 1, mean over the last axis",
              .arguments = read_entropy,
              .values = binary},
    LossClass{.name = "BinaryFocalCrossentropy",
              .aliases = {"binary_focal_crossentropy"},
              .summary = "BinaryCrossentropy in which probabilities that are nearly right weigh less",
              .arguments = read_binary_focal,
              .values = binary_focal},
    LossClass{
        .name = "CategoricalCrossentropy",
        .aliases = {"categorical_crossentropy"},
        .summary = "cross-entropy of labels that are a distribution over the classes, as one-hot labels are",
        .arguments = read_entropy,
        .values = categorical},
    LossClass{.name = "CategoricalFocalCrossentropy",
              .aliases = {"categorical_focal_crossentropy"},
              .summary = "CategoricalCrossentropy in which probabilities that are nearly right weigh less",
              .arguments = read_categorical_focal,
              .values = categorical_focal},
    LossClass{.name = "CategoricalGeneralizedCrossEntropy",
              .summary = "(1 - p^q) / q of the probability p of the label, a class number",
              .labels = Labels::others,
              .keras2 = false,
              .arguments = read_generalized,
              .values = generalized},
    LossClass{.name = "SparseCategoricalCrossentropy",
              .aliases = {"sparse_categorical_crossentropy"},
              .summary = "cross-entropy of labels that are class numbers",
              .labels = Labels::others,
              .arguments = read_sparse,
              .values = sparse_categorical},
};

}  // namespace

std::span<const LossClass> entropy_losses() { return rows_of_entropy_losses; }

}  // namespace wt::model
