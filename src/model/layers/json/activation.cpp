#include "model/layers/activation.h"

#include <fmt/format.h>

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

LayerPtr read_activation(LayerReader& r) {
  if (!r.has("activation")) r.required<std::string>("activation");
  return activation(r.activation("activation"), r.name());
}

LayerPtr read_relu(LayerReader& r) {
  ReluConfig config{.name = r.name()};
  if (r.given("max_value") != nullptr) config.max_value = r.number("max_value", 0, {.at_least = 0.0});
  config.negative_slope = r.number("negative_slope", 0, {.at_least = 0.0});
  config.threshold = r.number("threshold", 0, {.at_least = 0.0});
  return relu(std::move(config));
}

LayerPtr read_softmax(LayerReader& r) { return softmax({r.name(), r.axes("axis", {-1})}); }

// Keras 2 names the slope "alpha", Keras 3 "negative_slope".
LayerPtr read_leaky_relu(LayerReader& r) {
  const double slope = r.number("alpha", 0.3, {.at_least = 0.0});
  return leaky_relu(r.number("negative_slope", slope, {.at_least = 0.0}), r.name());
}

LayerPtr read_elu(LayerReader& r) { return elu(r.number("alpha", 1), r.name()); }
LayerPtr read_thresholded_relu(LayerReader& r) {
  return thresholded_relu(r.number("theta", 1, {.at_least = 0.0}), r.name());
}

LayerPtr read_prelu(LayerReader& r) {
  return prelu({.name = r.name(),
                .alpha = r.rule("alpha", zeros),
                .shared_axes = r.axes("shared_axes", {}),
                .trainable = r.trainable()});
}

}  // namespace

std::span<const LayerClass> activation_rows() {
  static constexpr LayerClass rows[] = {
      {"Activation", "an activation function that is named by its argument", read_activation},
      {"ELU", "x, and alpha (exp(x) - 1) below 0", read_elu},
      {"LeakyReLU", "x, and a slope times x below 0", read_leaky_relu},
      {"PReLU", "x, and a trained slope times x below 0", read_prelu},
      {"ReLU", "max(x, 0), with a bound, a slope and a threshold", read_relu},
      {"Softmax", "exp(x) / sum of exp(x) along axes", read_softmax},
      {"ThresholdedReLU", "x above theta, and 0 elsewhere", read_thresholded_relu},
  };
  return rows;
}

}  // namespace wt::model
