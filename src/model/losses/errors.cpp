// Losses of the distance between predictions and labels. The formulas are those of losses.py in Keras 2.15 and 3.

#include <cmath>

#include "model/axes.h"
#include "model/losses/losses.h"

namespace wt::model {

namespace {

// Where one label is compared with several predictions, there is no kernel of its own.
LossValues squared_error(const LossCall& call) {
  const auto [y, p] = elements_of(call, !is_on(Switch::losses_subtract_predictions, call.semantics));
  return y.shape() == p.shape() ? mean_squared_error(p, y) : mean_of_row(square(p - y));
}

LossValues absolute_error(const LossCall& call) {
  const auto [y, p] = elements_of(call, !is_on(Switch::losses_subtract_predictions, call.semantics));
  return mean_of_row(abs(p - y));
}

LossValues percentage_error(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  return mean_of_row(abs((y - p) / at_least(abs(y), epsilon))) * 100.0;
}

LossValues squared_logarithmic_error(const LossCall& call) {
  const auto [y, p] = elements_of(call, true);
  const auto logarithm = [](Symbol x) { return log(at_least(x, epsilon) + 1.0); };
  return mean_of_row(square(logarithm(p) - logarithm(y)));
}

// Huber, "Robust estimation of a location parameter", 1964.
LossValues huber(const LossCall& call) {
  const auto [y, p] = elements_of(call, true);
  const double delta = call.options.delta;
  const Symbol error = p - y, size = abs(error);
  const Symbol outside = size * delta - 0.5 * delta * delta;
  return mean_of_row(select(greater(size, number_like(size, delta)), outside, square(error) * 0.5));
}

// |x| + ln(1 + e^(-2 |x|)) - ln 2, which doesn't overflow.
LossValues log_cosh(const LossCall& call) {
  const auto [y, p] = elements_of(call, true);
  const Symbol size = abs(p - y);
  return mean_of_row(size + log(exp(size * -2.0) + 1.0) - std::log(2.0));
}

LossValues poisson(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  return mean_of_row(p - y * log(p + epsilon));
}

LossValues kl_divergence(const LossCall& call) {
  const Pair given = elements_of(call, false);
  const Symbol y = clipped(given.labels, epsilon, 1), p = clipped(given.predictions, epsilon, 1);
  return sum_of_row(y * log(y / p));
}

LossValues cosine_similarity(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  const auto axis = static_cast<int>(call.options.axis);
  const int of_y = axis_of(axis, y.spec()), of_p = axis_of(axis, p.spec());
  const Symbol products = unit_vectors(y, of_y, call.semantics) * unit_vectors(p, of_p, call.semantics);
  return -reduce_sum(products, {axis_of(axis, products.spec())});
}

void read_delta(LossOptions& options, Arguments& arguments) { arguments.number("delta", options.delta); }

constexpr std::array rows_of_error_losses{
    LossClass{.name = "CosineSimilarity",
              .aliases = {"cosine_similarity"},
              .summary = "-1 times the cosine of the angle between predictions and labels",
              .arguments = read_axis,
              .values = cosine_similarity},
    LossClass{.name = "Huber",
              .aliases = {"huber", only_keras2("huber_loss")},
              .summary = "half the mean of squares up to delta, and distances from there on",
              .arguments = read_delta,
              .values = huber},
    LossClass{.name = "KLDivergence",
              .aliases = {"kl_divergence", "kld", "KLD", only_keras2("kullback_leibler_divergence")},
              .summary = "sum of label * ln(label / prediction) over the last axis",
              .values = kl_divergence},
    LossClass{.name = "LogCosh",
              .aliases = {"log_cosh", only_keras2("logcosh")},
              .summary = "mean of ln cosh(prediction - label) over the last axis",
              .values = log_cosh},
    LossClass{.name = "MeanAbsoluteError",
              .aliases = {"mean_absolute_error", "mae", "MAE"},
              .summary = "mean of |prediction - label| over the last axis",
              .values = absolute_error},
    LossClass{.name = "MeanAbsolutePercentageError",
              .aliases = {"mean_absolute_percentage_error", "mape", "MAPE"},
              .summary = "mean of 100 |prediction - label| / |label| over the last axis",
              .values = percentage_error},
    LossClass{.name = "MeanSquaredError",
              .aliases = {"mean_squared_error", "mse", "MSE"},
              .summary = "mean of (prediction - label)^2 over the last axis",
              .values = squared_error},
    LossClass{.name = "MeanSquaredLogarithmicError",
              .aliases = {"mean_squared_logarithmic_error", "msle", "MSLE"},
              .summary = "mean of (ln(prediction + 1) - ln(label + 1))^2 over the last axis",
              .values = squared_logarithmic_error},
    LossClass{.name = "Poisson",
              .aliases = {"poisson"},
              .summary = "mean of prediction - label * ln prediction over the last axis",
              .values = poisson},
};

}  // namespace

std::span<const LossClass> error_losses() { return rows_of_error_losses; }

}  // namespace wt::model
