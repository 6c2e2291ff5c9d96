#include "model/layers/dropout.h"

#include <fmt/format.h>

#include <cmath>

#include "model/layers/written.h"

namespace wt::model {

namespace {

constexpr std::string_view spatial_names[] = {"SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"};

class DropoutBase : public Layer {
 public:
  DropoutBase(std::string_view class_name, DropoutConfig config)
      : Layer(config.name), config_(std::move(config)), class_name_(class_name) {
    if (!(config_.rate >= 0 && config_.rate < 1))
      refuse(fmt::format("the rate is {}", config_.rate), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override { return class_name_; }

 protected:
  bool drops(const Building& building) const { return building.training() && config_.rate > 0; }

  // Numbers that are 0 where elements are dropped and 1 / (1 - rate) elsewhere.
  Symbol drawn(Building& building, const TensorSpec& spec) const {
    return wt::dropout(fill(building.trace(), spec, 1),
                       building.random_stream(name() + "/seed", config_.seed), {.rate = config_.rate});
  }

  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

  DropoutConfig config_;

 private:
  std::string_view class_name_;
};

class Dropout final : public DropoutBase, public WritesArguments {
 public:
  Dropout(std::string_view class_name, DropoutConfig config) : DropoutBase(class_name, std::move(config)) {}
  void write_arguments(json::Writer& out) const override {
    out.member("rate", config_.rate);
    if (config_.seed) out.member("seed", *config_.seed);
    if (class_name() != "Dropout" || config_.noise_shape.empty()) return;
    out.key("noise_shape").begin_array(json::Layout::one_line);
    for (const std::int64_t extent : config_.noise_shape) extent > 0 ? out.value(extent) : out.null();
    out.end_array();
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (!drops(building)) return {x};
    if (config_.noise_shape.empty())
      return {wt::dropout(x, building.random_stream(name() + "/seed", config_.seed), {.rate = config_.rate})};
    return {x * drawn(building, noise_of(x))};
  }

 private:
  TensorSpec noise_of(Symbol x) const {
    TensorSpec spec = x.spec();
    if (static_cast<int>(config_.noise_shape.size()) != spec.shape.rank())
      refuse(fmt::format("the noise shape has {} axes for {}", config_.noise_shape.size(), print(x.spec())),
             "write one number for each axis, null for that of the input");
    for (int axis = 0; axis < spec.shape.rank(); ++axis) {
      const std::int64_t extent = config_.noise_shape[static_cast<std::size_t>(axis)];
      if (extent != 0 && extent != 1 && extent != spec.shape[axis])
        refuse(fmt::format("the noise shape has {} along axis {} of {}", extent, axis, print(x.spec())),
               "write 1, or null for the extent of the input");
      if (extent != 0) spec.shape[axis] = extent;
    }
    return spec;
  }
};

class AlphaDropout final : public DropoutBase {
 public:
  explicit AlphaDropout(DropoutConfig config) : DropoutBase("AlphaDropout", std::move(config)) {}

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (!drops(building)) return {x};
    const Symbol kept = drawn(building, x.spec()) * (1 - config_.rate);
    const double a = 1 / std::sqrt((1 - config_.rate) * (1 + config_.rate * saturation * saturation));
    const double b = -a * saturation * config_.rate;
    return {(x * kept + (-kept + 1) * saturation) * a + b};
  }

 private:
  static constexpr double saturation = -1.6732632423543772 * 1.0507009873554805;  // of selu: -alpha * scale
};

// A layer that passes its input on: without numbers of its own, or because it is only offered with none.
class Passing final : public Layer {
 public:
  Passing(std::string_view class_name, std::string name) : Layer(std::move(name)), class_name_(class_name) {}
  std::string_view class_name() const override { return class_name_; }
  void refuse_noise(double amount) const {
    if (amount != 0) refuse("normal random numbers are not offered", "set it to 0, or use Dropout");
  }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {only(inputs)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  std::string_view class_name_;
};

LayerPtr noise(std::string_view class_name, double amount, std::string name) {
  auto layer = std::make_shared<Passing>(class_name, std::move(name));
  layer->refuse_noise(amount);
  return layer;
}

}  // namespace

LayerPtr dropout(DropoutConfig config) { return std::make_shared<Dropout>("Dropout", std::move(config)); }
LayerPtr spatial_dropout(int rank, DropoutConfig config) {
  config.noise_shape = {0};
  for (int axis = 0; axis < rank; ++axis) config.noise_shape.push_back(1);
  config.noise_shape.push_back(0);
  return std::make_shared<Dropout>(spatial_names[rank - 1], std::move(config));
}
LayerPtr alpha_dropout(DropoutConfig config) { return std::make_shared<AlphaDropout>(std::move(config)); }
LayerPtr gaussian_noise(double deviation, std::string name) {
  return noise("GaussianNoise", deviation, std::move(name));
}
LayerPtr gaussian_dropout(double rate, std::string name) {
  return noise("GaussianDropout", rate, std::move(name));
}
LayerPtr identity(std::string name) { return std::make_shared<Passing>("Identity", std::move(name)); }
LayerPtr activity_regularization(const Regularizer& regularizer, std::string name) {
  auto layer = std::make_shared<Passing>("ActivityRegularization", std::move(name));
  layer->penalise_activity(regularizer);
  return layer;
}

}  // namespace wt::model
