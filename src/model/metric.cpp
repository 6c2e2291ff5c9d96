#include "model/metric.h"

#include <fmt/format.h>

#include "model/mask.h"

namespace wt::model {

namespace {

[[noreturn]] void refuse(const MetricCall& call, std::string remedy) {
  throw InputError(fmt::format("[{}] labels are {}, predictions are {}", call.metric,
                               print(call.labels.spec()), print(call.predictions.spec())),
                   std::move(remedy));
}

Shape with_one(Shape shape) {
  shape.append(1);
  return shape;
}

Shape rows_of(const MetricCall& call) {
  const Shape& shape = call.predictions.shape();
  if (shape.rank() == 0) refuse(call, "predictions must have a last axis");
  return shape.without(shape.rank() - 1);
}

Symbol as_type(Symbol x, Type type) { return x.spec().type == type ? x : cast(x, type); }
Symbol matches(Symbol a, Symbol b) { return cast(equal(a, b), Type::float32); }
Symbol mean_over_last(Symbol x) { return reduce_mean(x, {x.shape().rank() - 1}); }

Symbol sparse_categorical_accuracy(const MetricCall& call) {
  const Shape rows = rows_of(call);
  if (call.labels.shape() != rows && call.labels.shape() != with_one(rows))
    refuse(call, fmt::format("labels must have shape {} or {}, one class per row", print(rows),
                             print(with_one(rows))));
  const Symbol labels = as_type(call.labels, Type::int64);
  return matches(argmax(call.predictions), labels.shape() == rows ? labels : reshape(labels, rows));
}

// Returns the labels, converted to the shape and the type of the predictions. Labels of shape [rows] are
// equivalent to labels of shape [rows, 1].
Symbol like_predictions(const MetricCall& call) {
  const Shape rows = rows_of(call);
  const Shape wanted = call.predictions.shape();
  if (call.labels.shape() != wanted && !(wanted.last() == 1 && call.labels.shape() == rows))
    refuse(call, fmt::format("labels must have shape {}, one number per prediction", print(wanted)));
  const Symbol labels = as_type(call.labels, call.predictions.spec().type);
  return labels.shape() == wanted ? labels : reshape(labels, wanted);
}

Symbol categorical_accuracy(const MetricCall& call) {
  return matches(argmax(call.predictions), argmax(like_predictions(call)));
}

Symbol binary_accuracy(const MetricCall& call) {
  const Symbol labels = like_predictions(call);
  const Symbol threshold = fill(*labels.trace, {labels.spec().type, {}}, call.threshold);
  const Symbol decided = cast(greater(call.predictions, threshold), labels.spec().type);
  return mean_over_last(matches(labels, decided));
}

Symbol squared_error(const MetricCall& call) {
  return mean_over_last(square(call.predictions - like_predictions(call)));
}

Symbol absolute_error(const MetricCall& call) {
  return mean_over_last(abs(call.predictions - like_predictions(call)));
}

constexpr std::array metric_rows{
    MetricClass{.name = "BinaryAccuracy",
                .aliases = {"binary_accuracy"},
                .summary = "share of predictions that are on the same side of the threshold as their label",
                .has_threshold = true,
                .values = binary_accuracy},
    MetricClass{.name = "CategoricalAccuracy",
                .aliases = {"categorical_accuracy"},
                .summary = "share of rows whose largest prediction is at the position of their largest label",
                .values = categorical_accuracy},
    MetricClass{.name = "Mean", .aliases = {"mean"}, .summary = "mean of the values that are passed to it"},
    MetricClass{.name = "MeanAbsoluteError",
                .aliases = {"mean_absolute_error", "mae", "MAE"},
                .summary = "mean of |prediction - label|",
                .values = absolute_error},
    MetricClass{.name = "MeanSquaredError",
                .aliases = {"mean_squared_error", "mse", "MSE"},
                .summary = "mean of (prediction - label)^2",
                .values = squared_error},
    MetricClass{.name = "SparseCategoricalAccuracy",
                .aliases = {"sparse_categorical_accuracy"},
                .summary = "share of rows whose largest prediction is at the class that the label names",
                .values = sparse_categorical_accuracy},
};

Problem unknown_metric(Place place, std::string_view name) {
  return unknown_row(metric_rows, std::move(place), name, "metric", {"accuracy"});
}

bool is_accuracy(std::string_view name) { return name == "accuracy" || name == "acc"; }

// Keras names the metric of compile(metrics=["mse"]) "mse". A metric that is given by its class is named
// after the class, in snake case, which is the first alias.
std::string default_name(const MetricClass& type, std::string_view written) {
  return std::string(written == type.name ? type.aliases[0] : written);
}

// The rule of Keras 2 and 3.
std::string_view accuracy_by_shapes(const TensorSpec& labels, const TensorSpec& predictions) {
  const Shape& y = labels.shape;
  const Shape& p = predictions.shape;
  if (p.rank() > 0 && p.last() == 1) return "BinaryAccuracy";
  const bool is_sparse = y.rank() < p.rank() || (y.rank() > 0 && y.last() == 1);
  return is_sparse ? "SparseCategoricalAccuracy" : "CategoricalAccuracy";
}

// The rule of TensorFlow 2.0.
std::string_view accuracy_by_loss(const TensorSpec& predictions, const Loss& loss) {
  const bool is_single = predictions.shape.rank() > 0 && predictions.shape.last() == 1;
  if (is_single || loss.type->name == "BinaryCrossentropy") return "BinaryAccuracy";
  return loss.type->name == "SparseCategoricalCrossentropy" ? "SparseCategoricalAccuracy"
                                                            : "CategoricalAccuracy";
}

// The two weights of a metric, as symbols of the step.
struct MetricState {
  Symbol total{};
  Symbol count{};
};

MetricState state_of(Building& building, const Metric& metric) {
  const VariableOptions options{
      .trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::sum};
  const auto scalar = [&](const std::string& name) {
    return building.weight({name, {Type::float32, {}}, zeros, options, {}});
  };
  return {scalar(total_name(metric)), scalar(count_name(metric))};
}

}  // namespace

std::span<const MetricClass> metrics() { return metric_rows; }

Metric metric_named(std::string_view type, std::string name) {
  if (is_accuracy(type)) return {nullptr, name.empty() ? std::string(type) : std::move(name)};
  const MetricClass* row = find_row(metric_rows, type);
  if (row == nullptr) throw InputError(unknown_metric({}, type));
  return {row, name.empty() ? default_name(*row, type) : std::move(name)};
}

std::optional<Metric> read_metric(const json::Value& value, Problems& problems) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const MetricClass* row = find_row(metric_rows, read->name);
  if (row == nullptr && !is_accuracy(read->name)) {
    problems.add(unknown_metric(read->place, read->name));
    return std::nullopt;
  }
  ConfigReader reader(read->config, problems);
  reader.ignore({"dtype"});
  Metric metric = metric_named(read->name, reader.text("name", ""));
  if (row != nullptr && row->has_threshold) metric.threshold = reader.number("threshold", metric.threshold);
  reader.finish();
  return metric;
}

Metric resolve_accuracy(Metric metric, const TensorSpec& labels, const TensorSpec& predictions,
                        const Loss& loss, Semantics semantics) {
  if (metric.type != nullptr) return metric;
  metric.type = find_row(metric_rows, is_on(Switch::accuracy_asks_the_loss, semantics)
                                          ? accuracy_by_loss(predictions, loss)
                                          : accuracy_by_shapes(labels, predictions));
  return metric;
}

void update_metric(Building& building, const Metric& metric, Symbol labels, Symbol predictions,
                   std::optional<Symbol> weight) {
  WT_EXPECT(metric.type != nullptr, "the metric {} is not resolved", metric.name);
  if (metric.type->values == nullptr)
    throw InputError(fmt::format("[{}] the metric \"{}\" doesn't compare labels with predictions",
                                 metric.type->name, metric.name),
                     "pass it values with update_mean, or choose another metric");
  const Symbol values = labels.trace->in_scope(metric.name, [&] {
    return metric.type->values({metric.type->name, labels, predictions, metric.threshold});
  });
  if (weight && weight->shape().rank() > values.shape().rank())
    throw InputError(fmt::format("[{}] the weights are {}, and the values are {}", metric.type->name,
                                 print(weight->spec()), print(values.spec())),
                     "compare outputs that keep the axes of their mask, or drop the mask");
  update_mean(building, metric, values, weight ? std::optional(as_factors(*weight, values)) : std::nullopt);
}

void update_mean(Building& building, const Metric& metric, Symbol values, std::optional<Symbol> weight) {
  const MetricState state = state_of(building, metric);
  values.trace->in_scope(metric.name, [&] {
    const Symbol numbers = as_type(values, Type::float32);
    const Symbol each = fill(*values.trace, numbers.spec(), 1);
    const Symbol weights = weight ? each * as_type(*weight, Type::float32) : each;
    building.update(state.total, state.total + reduce_sum(weight ? numbers * weights : numbers));
    const auto elements = static_cast<double>(values.shape().elements());
    building.update(state.count, weight ? state.count + reduce_sum(weights) : state.count + elements);
  });
}

std::string total_name(const Metric& metric) { return metric.name + "/total"; }
std::string count_name(const Metric& metric) { return metric.name + "/count"; }

float metric_result(float total, float count) { return count == 0 ? 0 : total / count; }

}  // namespace wt::model
