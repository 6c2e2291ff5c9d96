#include "model/loss.h"

#include <fmt/format.h>

#include "base/log.h"

namespace wt::model {

namespace {

constexpr double epsilon = 1e-7;  // keras.backend.epsilon()

[[noreturn]] void refuse(const LossCall& call, std::string remedy) {
  throw InputError(fmt::format("[{}] labels are {}, predictions are {}", call.loss, print(call.labels.spec()),
                               print(call.predictions.spec())),
                   std::move(remedy));
}

Symbol as_type(Symbol x, Type type) { return x.spec().type == type ? x : cast(x, type); }

Shape with_one(Shape shape) {
  shape.append(1);
  return shape;
}

// Returns the labels, converted to the shape and the type of the predictions.
Symbol like_predictions(const LossCall& call) {
  const Shape wanted = call.predictions.shape();
  if (wanted.rank() == 0 || !is_floating(call.predictions.spec().type))
    refuse(call, "predictions must be of a floating-point type and have at least one axis");
  Symbol labels = as_type(call.labels, call.predictions.spec().type);
  const Shape given = labels.shape();
  if (given == wanted) return labels;
  if (with_one(given) == wanted || (wanted.rank() < Shape::max_rank && with_one(wanted) == given))
    return reshape(labels, wanted);
  refuse(call, fmt::format("labels must have shape {}, one number per prediction", print(wanted)));
}

// Returns labels that are class numbers, one per row, as int32 or int64.
Symbol class_labels(const LossCall& call) {
  const Shape predictions = call.predictions.shape();
  if (predictions.rank() == 0) refuse(call, "predictions must have an axis of classes");
  const Shape rows = predictions.without(predictions.rank() - 1);
  if (call.labels.shape() != rows && call.labels.shape() != with_one(rows))
    refuse(call, fmt::format("labels must have shape {} or {}, one class per row", print(rows),
                             print(with_one(rows))));
  const Type type = call.labels.spec().type;
  const Symbol labels = type == Type::int32 ? call.labels : as_type(call.labels, Type::int64);
  return labels.shape() == rows ? labels : reshape(labels, rows);
}

Symbol mean_over_last(Symbol x) { return reduce_mean(x, {x.shape().rank() - 1}); }
Symbol clipped(Symbol x) {
  const auto constant = [&](double value) { return fill(*x.trace, {x.spec().type, {}}, value); };
  return minimum(maximum(x, constant(epsilon)), constant(1 - epsilon));
}

// ---- logits

// If x is the output of a node with this kernel, returns the input of that node.
std::optional<Symbol> input_of(Symbol x, std::string_view kernel) {
  const Program& program = x.trace->program();
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    if (node->outputs.empty() || node->outputs[0] != x.value) continue;
    const auto* apply = std::get_if<Apply>(&node->operation);
    if (apply == nullptr || apply->kernel->name != kernel) return std::nullopt;
    return Symbol{x.trace, node->inputs[0]};
  }
  return std::nullopt;
}

// Returns the logits, or none if the predictions are probabilities that were not computed by this activation.
// Keras 2 recovers logits in the same way (_get_logits in keras/backend.py).
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

// ---- one function per loss
//
// The formulas are those of Keras' losses.py and backend.py. A cross-entropy has two forms: one on logits,
// which is numerically stable, and one on probabilities, which are clipped to [epsilon, 1 - epsilon] before
// the logarithm.

Symbol mean_squared_error_of(const LossCall& call) {
  return mean_squared_error(call.predictions, like_predictions(call));
}

Symbol mean_absolute_error_of(const LossCall& call) {
  return mean_over_last(abs(call.predictions - like_predictions(call)));
}

// For probabilities, Keras passes log p to the kernel for logits. The kernel normalizes its input, which adds
// log(sum p) to the loss; this is 0 if the probabilities of a row add up to 1.
Symbol sparse_categorical(const LossCall& call) {
  const Symbol labels = class_labels(call);
  if (const auto logits = logits_of(call, "softmax")) return sparse_softmax_cross_entropy(*logits, labels);
  return sparse_softmax_cross_entropy(log(clipped(call.predictions)), labels);
}

// Probabilities are divided by their sum first, so that those of each row add up to 1.
Symbol categorical(const LossCall& call) {
  Symbol labels = like_predictions(call);
  const double smoothing = call.options.label_smoothing;
  if (smoothing != 0)
    labels = labels * (1 - smoothing) + smoothing / static_cast<double>(labels.shape().last());
  if (const auto logits = logits_of(call, "softmax")) return softmax_cross_entropy(*logits, labels);
  const Shape last{labels.shape().rank() - 1};
  const Symbol normalized = call.predictions / reduce_sum(call.predictions, last, true);
  return -reduce_sum(labels * log(clipped(normalized)), last);
}

Symbol binary(const LossCall& call) {
  Symbol labels = like_predictions(call);
  const double smoothing = call.options.label_smoothing;
  if (smoothing != 0) labels = labels * (1 - smoothing) + smoothing * 0.5;
  if (const auto logits = logits_of(call, "sigmoid")) return binary_cross_entropy(*logits, labels);
  const bool adds_epsilon = is_on(Switch::binary_cross_entropy_epsilon_in_log, call.semantics);
  const auto log_of = [&](Symbol p) { return log(adds_epsilon ? p + epsilon : p); };
  const Symbol one = fill(*labels.trace, {labels.spec().type, {}}, 1);
  const Symbol p = clipped(call.predictions);
  return mean_over_last(-(labels * log_of(p) + (one - labels) * log_of(one - p)));
}

constexpr std::array loss_rows{
    LossClass{.name = "BinaryCrossentropy",
              .aliases = {"binary_crossentropy"},
              .summary = "cross-entropy of labels that are 0 or 1, mean over the last axis",
              .takes_logits = true,
              .smooths_labels = true,
              .per_example = binary},
    LossClass{
        .name = "CategoricalCrossentropy",
        .aliases = {"categorical_crossentropy"},
        .summary = "cross-entropy of labels that are a distribution over the classes, as one-hot labels are",
        .takes_logits = true,
        .smooths_labels = true,
        .per_example = categorical},
    LossClass{.name = "MeanAbsoluteError",
              .aliases = {"mean_absolute_error", "mae", "MAE"},
              .summary = "mean of |prediction - label| over the last axis",
              .per_example = mean_absolute_error_of},
    LossClass{.name = "MeanSquaredError",
              .aliases = {"mean_squared_error", "mse", "MSE"},
              .summary = "mean of (prediction - label)^2 over the last axis",
              .per_example = mean_squared_error_of},
    LossClass{.name = "SparseCategoricalCrossentropy",
              .aliases = {"sparse_categorical_crossentropy"},
              .summary = "cross-entropy of labels that are class numbers",
              .takes_logits = true,
              .per_example = sparse_categorical},
};

// ---- reading

struct ReductionName {
  std::string_view name{};
  Aliases aliases{};
  LossReduction value{};
};
constexpr ReductionName reduction_names[] = {
    {"auto", {}, LossReduction::auto_},
    {"none", {}, LossReduction::none},
    {"sum", {}, LossReduction::sum},
    {"sum_over_batch_size", {"mean"}, LossReduction::sum_over_batch_size},
};

// Keras 3 writes the reduction `none` as null, so null does not stand for the default here.
LossReduction read_reduction(const json::Value* config, ConfigReader& reader, Problems& problems) {
  const json::Value* written =
      config != nullptr && config->kind() == json::Kind::object ? config->find("reduction") : nullptr;
  const std::string name = reader.text("reduction", "auto");
  if (written != nullptr && written->kind() == json::Kind::null) return LossReduction::none;
  const ReductionName* row = find_row(reduction_names, name);
  if (row == nullptr) problems.add(unknown_row(reduction_names, written->place(), name, "reduction"));
  return row == nullptr ? LossReduction::auto_ : row->value;
}

void read_axis(ConfigReader& reader) {
  if (reader.number("axis", -1) != -1) reader.problem("axis", "only the last axis is offered", "write -1");
}

// Options that a loss class does not have are reported as unknown keys by finish().
LossOptions read_options(const LossClass& type, const json::Value* config, Problems& problems) {
  LossOptions options;
  ConfigReader reader(config, problems);
  reader.ignore({"name", "dtype"});
  options.reduction = read_reduction(config, reader, problems);
  if (type.takes_logits) {
    options.from_logits = reader.flag("from_logits", false);
    read_axis(reader);
  }
  if (type.smooths_labels)
    options.label_smoothing = reader.number("label_smoothing", 0, {.at_least = 0.0, .at_most = 1.0});
  if (type.per_example == sparse_categorical && reader.value("ignore_class") != nullptr)
    reader.problem("ignore_class", "\"ignore_class\" is not offered yet", "leave it out");
  reader.finish();
  return options;
}

void require_count(std::string_view function, std::string_view what, std::int64_t count,
                   std::int64_t at_least) {
  if (count < at_least)
    throw InputError(fmt::format("[{}] {} is {}", function, what, count),
                     fmt::format("it must be at least {}", at_least));
}

void require_one_for_each(std::size_t count, std::string_view what, std::size_t outputs) {
  if (count != outputs)
    throw InputError(fmt::format("[loss] the number of {} is {}, and the model's number of outputs is {}",
                                 what, count, outputs),
                     "list one for each output, in the order of the model's outputs");
}

Symbol as_floating(Symbol x) { return is_floating(x.spec().type) ? x : cast(x, Type::float32); }

}  // namespace

std::span<const LossClass> losses() { return loss_rows; }

Loss loss_named(std::string_view name, const LossOptions& options) {
  const LossClass* row = find_row(loss_rows, name);
  if (row == nullptr) throw InputError(unknown_row(loss_rows, {}, name, "loss"));
  return {row, options};
}

std::optional<Loss> read_loss(const json::Value& value, Problems& problems) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const LossClass* row = find_row(loss_rows, read->name);
  if (row == nullptr) {
    problems.add(unknown_row(loss_rows, read->place, read->name, "loss"));
    return std::nullopt;
  }
  return Loss{row, read_options(*row, read->config, problems)};
}

std::optional<Losses> read_losses(const json::Value& value, Problems& problems) {
  if (value.kind() != json::Kind::array) {
    const std::optional<Loss> one = read_loss(value, problems);
    return one ? std::optional(Losses(*one)) : std::nullopt;
  }
  Losses losses;
  losses.is_list = true;
  for (const json::Value& entry : value.elements())
    if (const std::optional<Loss> loss = read_loss(entry, problems)) losses.each.push_back(*loss);
  if (value.elements().empty())
    problems.add(value.place(), "the list of losses is empty", "give one loss for each output of the model");
  const bool is_whole = !losses.each.empty() && losses.each.size() == value.elements().size();
  return is_whole ? std::optional(losses) : std::nullopt;
}

void require_loss_for_each(const Losses& losses, std::size_t outputs) {
  if (losses.is_list) require_one_for_each(losses.each.size(), "losses", outputs);
}

void require_weight_for_each(const Losses& losses, std::size_t outputs) {
  if (!losses.weights.empty()) require_one_for_each(losses.weights.size(), "weights", outputs);
}

namespace {

// A softmax over one class is always 1, so that no loss of it has a gradient. Keras trains such a model without a word.
void warn_of_one_class(const Loss& loss, Symbol predictions) {
  const Shape& shape = predictions.shape();
  if (shape.rank() == 0 || shape[shape.rank() - 1] != 1 || !input_of(predictions, "softmax")) return;
  warn(
      "the predictions that {} compares are a softmax over one class, which is always 1, and the model "
      "learns "
      "nothing; give the last layer one unit per class, or a sigmoid and the loss BinaryCrossentropy",
      loss.type->name);
}

}  // namespace

Symbol per_example_loss(const Loss& loss, Symbol labels, Symbol predictions, Semantics semantics) {
  warn_of_one_class(loss, predictions);
  return labels.trace->in_scope("loss", [&] {
    return loss.type->per_example({loss.type->name, labels, predictions, loss.options, semantics});
  });
}

Symbol reduce_loss(Symbol per_example, LossReduction reduction) {
  if (reduction == LossReduction::none) return per_example;
  if (reduction == LossReduction::sum) return reduce_sum(per_example);
  return compute_average_loss(per_example, per_example.shape().elements());
}

Symbol compute_average_loss(Symbol per_example, std::int64_t global_batch_size) {
  require_count("compute_average_loss", "global_batch_size", global_batch_size, 0);
  const Symbol sum = reduce_sum(as_floating(per_example));
  if (global_batch_size == 0) return sum * 0.0;  // TensorFlow's div_no_nan
  return sum / static_cast<double>(global_batch_size);
}

Symbol compute_average_loss(Symbol per_example, Symbol global_rows) {
  const Symbol sum = reduce_sum(as_floating(per_example));
  const Symbol one = fill(*sum.trace, {sum.spec().type, {}}, 1);
  // If there are no rows, the sum is 0, and 0 / 1 equals the result of TensorFlow's div_no_nan.
  return sum / maximum(as_type(global_rows, sum.spec().type), one);
}

Symbol scaled_loss_sum(Symbol per_example, std::int64_t global_batch_size) {
  require_count("loss", "the global batch", global_batch_size, 1);
  return reduce_sum(as_floating(per_example)) * (1.0 / static_cast<double>(global_batch_size));
}

Symbol scale_regularization_loss(Symbol penalty, std::int64_t replicas) {
  require_count("scale_regularization_loss", "the number of replicas", replicas, 1);
  return reduce_sum(as_floating(penalty)) / static_cast<double>(replicas);
}

void require_custom_loop_reduction(LossReduction reduction, Semantics semantics) {
  const bool is_average =
      reduction == LossReduction::auto_ || reduction == LossReduction::sum_over_batch_size;
  if (!is_average || !is_on(Switch::loss_object_refuses_average, semantics)) return;
  // TensorFlow's text, including its "looop".
  throw InputError(
      "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss "
      "reduction when losses are used with `tf.distribute.Strategy`, except for specifying losses in "
      "`Model.compile()` for use by the built-in training looop `Model.fit()`.",
      "Please see https://www.tensorflow.org/tutorials/distribute/custom_training for more details.");
}

}  // namespace wt::model
