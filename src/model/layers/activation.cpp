#include "model/layers/activation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/activation.h"
#include "model/axes.h"
#include "model/constants.h"
#include "model/layers/written.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// Keras has the class Activation, whose argument names the function, and classes of their own for frequent
// functions. All of them hand masks on.
class ActivationLayer : public Layer {
 public:
  using Apply = std::function<Symbol(Symbol x, Semantics semantics)>;
  ActivationLayer(std::string_view class_name, std::string name, Apply apply)
      : Layer(std::move(name)), class_name_(class_name), apply_(std::move(apply)) {}
  std::string_view class_name() const override { return class_name_; }

 protected:
  WholeNumbers whole_numbers() const override {
    const bool is_linear_in_parts = class_name_ == "ReLU" || class_name_ == "LeakyReLU";
    return is_linear_in_parts ? WholeNumbers::converts : WholeNumbers::keeps;
  }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    return {apply_(only(inputs), building.semantics())};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  std::string_view class_name_;
  Apply apply_;
};

// One whose only argument, if it has any, is the name of the function.
class WritableActivation final : public ActivationLayer, public WritesArguments {
 public:
  WritableActivation(std::string_view class_name, std::string name, std::string function, Apply apply)
      : ActivationLayer(class_name, std::move(name), std::move(apply)), function_(std::move(function)) {}
  void write_arguments(json::Writer& out) const override {
    if (!function_.empty()) out.member("activation", function_);
  }

 private:
  std::string function_;  // empty: that of the class
};

LayerPtr layer_of(std::string_view class_name, std::string name, ActivationLayer::Apply apply) {
  return std::make_shared<ActivationLayer>(class_name, std::move(name), std::move(apply));
}

class Softmax final : public Layer {
 public:
  explicit Softmax(SoftmaxConfig config) : Layer(config.name), axes_(std::move(config.axes)) {}
  std::string_view class_name() const override { return "Softmax"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.empty() || inputs.size() > 2) refuse(fmt::format("it is given {} inputs", inputs.size()));
    const Symbol x = inputs[0];
    const std::optional<Symbol> mask = inputs.size() == 2                          ? std::optional(inputs[1])
                                       : !building.options().masked_inputs.empty() ? building.mask()
                                                                                   : std::nullopt;
    if (!mask) return {along_axes(x)};
    const Symbol kept = cast(*mask, x.spec().type), penalty = (kept - 1) * masked_score;
    if (!is_on(Switch::masked_scores_are_replaced, building.semantics())) return {along_axes(x + penalty)};
    return {along_axes(x * kept + penalty) * kept};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  static constexpr double masked_score = 1e9;

  Symbol along_axes(Symbol x) const {
    const MovedAxes moved(x, axes_);
    return moved.back(wt::softmax(moved.last()));
  }

  std::vector<int> axes_;
};

class Prelu final : public Layer {
 public:
  explicit Prelu(PreluConfig config) : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "PReLU"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    Shape shape;
    for (int axis = 1; axis < x.shape().rank(); ++axis)
      shape.append(std::ranges::count(config_.shared_axes, axis) > 0 ? 1 : x.shape()[axis]);
    const Symbol alpha = building.weight(name() + "/alpha", {x.spec().type, shape}, config_.alpha);
    return {wt::relu(x) - alpha * wt::relu(-x)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  PreluConfig config_;
};

}  // namespace

LayerPtr activation(std::string activation, std::string name) {
  auto apply = [activation](Symbol x, Semantics semantics) { return activate(x, activation, semantics); };
  return std::make_shared<WritableActivation>("Activation", std::move(name), std::move(activation),
                                              std::move(apply));
}
LayerPtr relu(std::string name) {
  return std::make_shared<WritableActivation>("ReLU", std::move(name), "",
                                              [](Symbol x, Semantics) { return wt::relu(x); });
}
LayerPtr relu(ReluConfig config) {
  const ActivationOptions options{
      .negative_slope = config.negative_slope, .max_value = config.max_value, .threshold = config.threshold};
  return layer_of("ReLU", std::move(config.name), [options](Symbol x, Semantics semantics) {
    return activate(x, "relu", semantics, options);
  });
}
LayerPtr softmax(SoftmaxConfig config) { return std::make_shared<Softmax>(std::move(config)); }
LayerPtr leaky_relu(double negative_slope, std::string name) {
  return layer_of("LeakyReLU", std::move(name), [negative_slope](Symbol x, Semantics semantics) {
    return activate(x, "leaky_relu", semantics, {.negative_slope = negative_slope});
  });
}
LayerPtr elu(double alpha, std::string name) {
  return layer_of("ELU", std::move(name), [alpha](Symbol x, Semantics semantics) {
    return activate(x, "elu", semantics, {.alpha = alpha});
  });
}
LayerPtr thresholded_relu(double theta, std::string name) {
  return layer_of("ThresholdedReLU", std::move(name), [theta](Symbol x, Semantics) {
    return select(greater(x, number_like(x, theta)), x, x * 0.0);
  });
}
LayerPtr prelu(PreluConfig config) { return std::make_shared<Prelu>(std::move(config)); }

}  // namespace wt::model
