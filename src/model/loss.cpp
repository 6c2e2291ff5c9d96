#include "model/loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "model/losses/losses.h"
#include "model/losses/producer.h"
#include "model/mask.h"

namespace wt::model {

namespace {

std::vector<LossClass> all_rows() {
  std::vector<LossClass> all;
  for (const auto& rows : {entropy_losses(), error_losses(), margin_losses(), overlap_losses(),
                           embedding_losses(), sequence_losses()})
    all.insert(all.end(), rows.begin(), rows.end());
  std::ranges::sort(all, {}, &LossClass::name);
  return all;
}

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
    {"mean_with_sample_weight", {}, LossReduction::mean_with_sample_weight},
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

// Options that a loss class does not have are reported as unknown keys by finish(). Keras 2 writes the name of the
// loss' function as "fn".
LossOptions read_options(const LossClass& type, const Serialized& read, Problems& problems) {
  LossOptions options;
  Arguments arguments(read.config, read.place, problems);
  arguments.reader().ignore({"name", "dtype", "fn"});
  options.reduction = read_reduction(read.config, arguments.reader(), problems);
  if (type.arguments != nullptr) type.arguments(options, arguments);
  arguments.reader().finish();
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

}  // namespace

std::span<const LossClass> losses() {
  static const std::vector<LossClass> all = all_rows();
  return all;
}

Loss loss_named(std::string_view name, const LossOptions& options) {
  const LossClass* row = find_row(losses(), name);
  if (row == nullptr) throw InputError(unknown_row(losses(), {}, name, "loss"));
  return {row, options, alias_of(*row, name)};
}

std::optional<LossReduction> reduction_named(std::string_view name) {
  const ReductionName* row = find_row(reduction_names, name);
  return row == nullptr ? std::nullopt : std::optional(row->value);
}

std::optional<Loss> read_loss(const json::Value& value, Problems& problems) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const LossClass* row = find_row(losses(), read->name);
  if (row == nullptr) {
    problems.add(unknown_row(losses(), read->place, read->name, "loss"));
    return std::nullopt;
  }
  return Loss{row, read_options(*row, *read, problems), alias_of(*row, read->name)};
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

void write_arguments(json::Writer& out, const Loss& loss) {
  Arguments arguments(out);
  LossOptions options = loss.options;
  if (loss.type->arguments != nullptr) loss.type->arguments(options, arguments);
  out.member("reduction", std::ranges::find(reduction_names, options.reduction, &ReductionName::value)->name);
}

void require_offered(const Loss& loss, Semantics semantics) {
  require_known(loss.written, loss.type->name, "loss", semantics);
  if (semantics == Semantics::keras3) return;
  if (!loss.type->keras2)
    throw InputError(fmt::format("[{}] Keras 2 has no such loss", loss.type->name),
                     "choose another loss, or semantics keras3");
  if (loss.options.reduction == LossReduction::mean_with_sample_weight)
    throw InputError(
        fmt::format("[{}] Keras 2 has no reduction \"mean_with_sample_weight\"", loss.type->name),
        "choose another reduction, or semantics keras3");
}

LossValues loss_values(const Loss& loss, Symbol labels, Symbol predictions, Semantics semantics) {
  const LossCall call{loss.type->name, labels, as_wide_float(predictions), loss.options, semantics};
  if (predictions.shape().rank() == 0) refuse(call, "predictions must have at least one axis");
  return loss.type->values(call);
}

namespace {

// The mask as numbers. Before a mean they are scaled such that their sum is the number of all values.
Symbol factors_of(Symbol mask, Type type, LossReduction reduction, Semantics semantics) {
  const Symbol factors = cast(mask, type);
  if (!is_mean(reduction) || reduction == LossReduction::mean_with_sample_weight) return factors;
  const Symbol all = number_like(factors, static_cast<double>(mask.shape().elements()));
  const Symbol counted = reduce_sum(factors);
  const bool may_be_none = is_on(Switch::masks_may_leave_nothing, semantics);
  return factors * (may_be_none ? divide_no_nan(all, counted) : all / counted);
}

Symbol product(Symbol a, Symbol b) {
  require_broadcast(a.shape(), b.shape());
  return a * b;
}

// Keras 2 gives a weight the rank of the values where they differ by one. Keras 3 treats both as labels and predictions.
void align_weight(Symbol& values, Symbol& weight, Semantics semantics) {
  if (!is_on(Switch::labels_expand, semantics)) {
    weight = with_near_rank(weight, values);
    return;
  }
  const Pair pair = aligned(values, weight, true);
  values = pair.labels;
  weight = pair.predictions;
}

WeightedLosses weighted(LossValues given, const LossWeights& weights, LossReduction reduction,
                        Semantics semantics) {
  Symbol values = given.values;
  const Type type = values.spec().type;
  std::optional<Symbol> weight;
  if (weights.weight) weight = as_type(*weights.weight, type);
  std::optional<Symbol> mask = weights.mask;
  if (given.mask) mask = mask ? both(*mask, *given.mask) : *given.mask;
  if (mask) {
    Symbol factors = factors_of(*mask, type, reduction, semantics);
    if (weight) align_weight(factors, *weight, semantics);
    weight = weight ? product(*weight, factors) : factors;
  }
  if (!weight) return {values, std::nullopt};
  align_weight(values, *weight, semantics);
  return {product(values, *weight), weight};
}

}  // namespace

WeightedLosses weighted_losses(const Loss& loss, Symbol labels, Symbol predictions, Semantics semantics,
                               const LossWeights& weights) {
  require_offered(loss, semantics);
  warn_of_one_class(loss, predictions);
  return labels.trace->in_scope("loss", [&] {
    const Pair pair = aligned(labels, predictions, is_on(Switch::labels_expand, semantics));
    const LossValues values = loss_values(loss, pair.labels, pair.predictions, semantics);
    if (loss.type->labels == Labels::like_predictions && pair.labels.shape() != pair.predictions.shape())
      refuse({loss.type->name, labels, predictions, loss.options, semantics},
             fmt::format("labels must have shape {}, one number per prediction", print(predictions.shape())));
    return weighted(values, weights, loss.options.reduction, semantics);
  });
}

Symbol labels_in_fit(Symbol labels, Symbol predictions) {
  const Shape y = labels.shape(), p = predictions.shape();
  return y.rank() == 1 && p.rank() == 2 && p.last() == 1 ? reshape(labels, {y[0], 1}) : labels;
}

Symbol per_example_loss(const Loss& loss, Symbol labels, Symbol predictions, Semantics semantics) {
  return weighted_losses(loss, labels_in_fit(labels, predictions), predictions, semantics).values;
}

bool is_mean(LossReduction reduction) {
  return reduction != LossReduction::none && reduction != LossReduction::sum;
}

Symbol reduce_loss(const WeightedLosses& losses, LossReduction reduction) {
  const Symbol values = losses.values;
  if (reduction == LossReduction::none || values.shape().rank() == 0) return values;
  if (reduction == LossReduction::mean_with_sample_weight && losses.weight)
    return divide_no_nan(reduce_sum(values), reduce_sum(*losses.weight));
  return reduction == LossReduction::sum ? reduce_sum(values)
                                         : compute_average_loss(values, values.shape().elements());
}

Symbol reduce_loss(Symbol per_example, LossReduction reduction) {
  return reduce_loss(WeightedLosses{per_example, std::nullopt}, reduction);
}

Symbol compute_average_loss(Symbol per_example, std::int64_t global_batch_size) {
  require_count("compute_average_loss", "global_batch_size", global_batch_size, 0);
  const Symbol sum = reduce_sum(as_wide_float(per_example));
  if (global_batch_size == 0) return sum * 0.0;  // TensorFlow's div_no_nan
  return sum / static_cast<double>(global_batch_size);
}

Symbol compute_average_loss(Symbol per_example, Symbol global_rows) {
  const Symbol sum = reduce_sum(as_wide_float(per_example));
  const Symbol one = fill(*sum.trace, {sum.spec().type, {}}, 1);
  // If there are no rows, the sum is 0, and 0 / 1 equals the result of TensorFlow's div_no_nan.
  return sum / maximum(as_type(global_rows, sum.spec().type), one);
}

Symbol scaled_loss_sum(Symbol per_example, std::int64_t global_batch_size) {
  require_count("loss", "the global batch", global_batch_size, 1);
  return reduce_sum(as_wide_float(per_example)) * (1.0 / static_cast<double>(global_batch_size));
}

Symbol scale_regularization_loss(Symbol penalty, std::int64_t replicas) {
  require_count("scale_regularization_loss", "the number of replicas", replicas, 1);
  return reduce_sum(as_wide_float(penalty)) / static_cast<double>(replicas);
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
