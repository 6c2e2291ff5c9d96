#include "train/estimator/linear_regressor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/overloaded.h"
#include "train/errors.h"

namespace wt::train {

namespace {

struct NamedOptimizer {
  std::string_view name{};    // tf.estimator's
  std::string_view class_{};  // Keras'
};
constexpr std::array<NamedOptimizer, 5> optimizers{
    {{"Adagrad", "Adagrad"}, {"Adam", "Adam"}, {"Ftrl", "Ftrl"}, {"RMSProp", "RMSprop"}, {"SGD", "SGD"}}};

// tf.estimator takes Keras' older optimizers (keras/optimizers/legacy), which keep their arguments as float32 numbers:
// 1 - beta_2 of Adam is 0.00099998713.
model::Optimizer with_rounded_arguments(model::Optimizer optimizer) {
  for (auto& [name, value] : optimizer.arguments)
    if (name != "epsilon") value = static_cast<double>(static_cast<float>(value));
  return optimizer;
}

model::Optimizer optimizer_of(const LinearRegressorOptions& options) {
  const auto by_name = [&](const std::string& name) {
    const auto found = std::ranges::find(optimizers, name, &NamedOptimizer::name);
    if (found == optimizers.end())
      throw device::ValueError(
          fmt::format("Unsupported optimizer name: {}. Supported names are: ('Adagrad', 'Adam', 'Ftrl', "
                      "'RMSProp', 'SGD')",
                      name));
    model::Optimizer optimizer = model::optimizer_named(found->class_);
    optimizer.learning_rate =
        std::min(0.2, 1 / std::sqrt(static_cast<double>(options.feature_columns.size())));
    return optimizer;
  };
  return with_rounded_arguments(std::visit(
      overloaded{by_name, [](const model::Optimizer& given) { return given; }}, options.optimizer));
}

Symbol as_columns(Symbol x, std::int64_t size) {
  const std::int64_t rows = x.shape()[0];
  return cast(x.shape() == Shape{rows, size} ? x : reshape(x, {rows, size}), Type::float32);
}

// TensorFlow adds the products of the columns in the order of their names.
Symbol logits_of(model::Building& building, const LinearRegressorOptions& options, const Features& features) {
  std::vector<NumericColumn> columns = options.feature_columns;
  std::ranges::sort(columns, {}, &NumericColumn::key);
  std::optional<Symbol> sum;
  for (const NumericColumn& column : columns) {
    const auto feature = features.find(column.key);
    if (feature == features.end())
      throw device::ValueError(fmt::format("Feature {} is not in features dictionary.", column.key));
    const Symbol weights = building.weight(fmt::format("linear/linear_model/{}/weights", column.key),
                                           {Type::float32, {column.size, options.label_dimension}}, {});
    const Symbol product = matmul(as_columns(feature->second, column.size), weights);
    sum = sum ? *sum + product : product;
  }
  const Symbol bias =
      building.weight("linear/linear_model/bias_weights", {Type::float32, {options.label_dimension}}, {});
  return bias_add(*sum, bias);
}

EvalMetric mean_of(std::string name, Symbol values) {
  return {.metric = model::metric_named("Mean", std::move(name)), .values = values};
}

}  // namespace

Estimator linear_regressor(const LinearRegressorOptions& options, RunConfig config, Resources& host) {
  if (options.feature_columns.empty())
    throw device::ValueError("feature_columns must be given to LinearRegressor.");
  const auto model_fn = [options](model::Building& building, const Features& features,
                                  const std::optional<Symbol>& labels, ModeKeys mode) {
    const model::Optimizer optimizer = optimizer_of(options);
    const Symbol predictions = logits_of(building, options, features);
    EstimatorSpec spec{.predictions = {{"predictions", predictions}}};
    if (mode == ModeKeys::infer) return spec;
    if (!labels)
      throw device::ValueError(
          "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your "
          "data "
          "contain your label feature. Check that your input_fn properly parses and returns labels.");
    const Symbol wanted = as_columns(*labels, options.label_dimension);
    const Symbol errors = square(predictions - wanted);
    spec.loss = reduce_mean(errors);
    spec.train_op = {optimizer, TrainOp::Version::keras};
    spec.eval_metric_ops = {mean_of("average_loss", errors), mean_of("label/mean", wanted),
                            mean_of("prediction/mean", predictions)};
    return spec;
  };
  return {model_fn, std::move(config), host};
}

}  // namespace wt::train
