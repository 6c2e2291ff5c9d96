#include "model/layers/shaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace wt::model {

namespace {

class Flatten final : public Layer {
 public:
  using Layer::Layer;
  std::string_view class_name() const override { return "Flatten"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 1) refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis");
    return {wt::reshape(x, {x.shape()[0], x.shape().elements(1, x.shape().rank())})};
  }
};

class Reshape final : public Layer {
 public:
  explicit Reshape(ReshapeConfig config) : Layer(config.name), target_(std::move(config.target_shape)) {
    if (target_.size() >= Shape::max_rank)
      refuse(fmt::format("the target has {} axes", target_.size()),
             fmt::format("at most {} besides the batch axis are offered", Shape::max_rank - 1));
    for (const std::int64_t extent : target_)
      if (extent != -1) require_positive("an extent of the target", extent);
    if (std::ranges::count(target_, -1) > 1)
      refuse("several extents of the target are -1", "only one may be -1");
  }
  std::string_view class_name() const override { return "Reshape"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 1) refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis");
    std::int64_t open = x.shape().elements(1, x.shape().rank());
    bool fits = true;
    for (const std::int64_t extent : target_) {
      if (extent == -1) continue;
      fits = fits && open % extent == 0;
      open /= extent;
    }
    if (!fits || (open != 1 && std::ranges::count(target_, -1) == 0))
      refuse(fmt::format("the target [{}] has another number of elements than {} without its batch axis",
                         fmt::join(target_, ","), print(x.spec())));
    Shape shape{x.shape()[0]};
    for (const std::int64_t extent : target_) shape.append(extent == -1 ? open : extent);
    return {wt::reshape(x, shape)};
  }

 private:
  std::vector<std::int64_t> target_;
};

class ZeroPadding2D final : public Layer {
 public:
  explicit ZeroPadding2D(ZeroPadding2DConfig config) : Layer(config.name), config_(std::move(config)) {
    for (const Shape& sides : {config_.height, config_.width})
      if (sides.rank() != 2 || sides[0] < 0 || sides[1] < 0)
        refuse(fmt::format("the padding is {}", print(sides)), "it must be two numbers of at least 0");
  }
  std::string_view class_name() const override { return "ZeroPadding2D"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {padded(padded(only(inputs, 4), 1, config_.height), 2, config_.width)};
  }

 private:
  static Symbol padded(Symbol x, int axis, const Shape& sides) {
    const auto zeros_of = [&](std::int64_t extent) {
      TensorSpec spec = x.spec();
      spec.shape[axis] = extent;
      return fill(*x.trace, spec, 0);
    };
    std::vector<Symbol> parts;
    if (sides[0] > 0) parts.push_back(zeros_of(sides[0]));
    parts.push_back(x);
    if (sides[1] > 0) parts.push_back(zeros_of(sides[1]));
    return parts.size() == 1 ? x : concat(parts, axis);
  }

  ZeroPadding2DConfig config_;
};

class Rescaling final : public Layer {
 public:
  explicit Rescaling(RescalingConfig config) : Layer(config.name), config_(std::move(config)) {}
  std::string_view class_name() const override { return "Rescaling"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    return {(is_floating(x.spec().type) ? x : cast(x, Type::float32)) * config_.scale + config_.offset};
  }

 private:
  RescalingConfig config_;
};

}  // namespace

LayerPtr flatten(std::string name) { return std::make_shared<Flatten>(std::move(name)); }
LayerPtr reshape(ReshapeConfig config) { return std::make_shared<Reshape>(std::move(config)); }
LayerPtr zero_padding2d(ZeroPadding2DConfig config) {
  return std::make_shared<ZeroPadding2D>(std::move(config));
}
LayerPtr rescaling(RescalingConfig config) { return std::make_shared<Rescaling>(std::move(config)); }

}  // namespace wt::model
