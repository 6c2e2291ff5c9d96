#include "model/layers/shaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/constants.h"
#include "model/layers/written.h"

namespace wt::model {

namespace {

class Flatten final : public Layer, public WritesArguments {
 public:
  Flatten(std::string name, bool channels_first) : Layer(std::move(name)), channels_first_(channels_first) {}
  std::string_view class_name() const override { return "Flatten"; }
  void write_arguments(json::Writer&) const override {}

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 1) refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis");
    const Symbol ordered = channels_first_ && x.shape().rank() > 2 ? channels_to_the_end(x) : x;
    return {wt::reshape(ordered, {x.shape()[0], x.shape().elements(1, x.shape().rank())})};
  }

 private:
  static Symbol channels_to_the_end(Symbol x) {
    Shape order{0};
    for (int axis = 2; axis < x.shape().rank(); ++axis) order.append(axis);
    order.append(1);
    return transpose(x, order);
  }

  bool channels_first_;
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

class Permute final : public Layer {
 public:
  explicit Permute(PermuteConfig config) : Layer(config.name), dims_(std::move(config.dims)) {
    std::vector<std::int64_t> sorted = dims_;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<std::int64_t>(i) + 1)
        refuse(fmt::format("dims are [{}]", fmt::join(dims_, ",")), "name each axis once, counted from 1");
  }
  std::string_view class_name() const override { return "Permute"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Shape order{0};
    for (const std::int64_t axis : dims_) order.append(axis);
    return {transpose(only(inputs, order.rank()), order)};
  }

 private:
  std::vector<std::int64_t> dims_;
};

class RepeatVector final : public Layer {
 public:
  explicit RepeatVector(const RepeatVectorConfig& config) : Layer(config.name), n_(config.n) {
    require_positive("n", n_);
  }
  std::string_view class_name() const override { return "RepeatVector"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, 2);
    const std::int64_t rows = x.shape()[0], features = x.shape()[1];
    return {broadcast_to(wt::reshape(x, {rows, 1, features}), {rows, n_, features})};
  }

 private:
  std::int64_t n_;
};

class Rescaling final : public Layer {
 public:
  explicit Rescaling(RescalingConfig config) : Layer(config.name), config_(std::move(config)) {}
  std::string_view class_name() const override { return "Rescaling"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    const Symbol given = is_floating(x.spec().type) ? x : cast(x, Type::float32);
    if (config_.scale.size() == 1 && config_.offset.size() == 1)
      return {given * config_.scale[0] + config_.offset[0]};
    return {given * by_channel(given, config_.scale) + by_channel(given, config_.offset)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    if (!is_on(Switch::rescaling_keeps_masks, building.semantics())) return std::nullopt;
    return building.mask();
  }

 private:
  Symbol by_channel(Symbol x, const std::vector<double>& numbers) const {
    const auto channels = static_cast<std::size_t>(x.shape().last());
    if (numbers.size() != 1 && numbers.size() != channels)
      refuse(fmt::format("it has {} numbers for {}", numbers.size(), print(x.spec())),
             "write one for each channel");
    return constants(*x.trace, numbers, x.spec().type);
  }

  RescalingConfig config_;
};

}  // namespace

LayerPtr flatten(std::string name, bool channels_first) {
  return std::make_shared<Flatten>(std::move(name), channels_first);
}
LayerPtr reshape(ReshapeConfig config) { return std::make_shared<Reshape>(std::move(config)); }
LayerPtr permute(PermuteConfig config) { return std::make_shared<Permute>(std::move(config)); }
LayerPtr repeat_vector(const RepeatVectorConfig& config) { return std::make_shared<RepeatVector>(config); }
LayerPtr rescaling(RescalingConfig config) { return std::make_shared<Rescaling>(std::move(config)); }

}  // namespace wt::model
