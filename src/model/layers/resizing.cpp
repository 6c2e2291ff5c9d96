#include "model/layers/resizing.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/spatial.h"

namespace wt::model {

namespace {

constexpr std::string_view padding_names[] = {"ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"};
constexpr std::string_view cropping_names[] = {"Cropping1D", "Cropping2D", "Cropping3D"};
constexpr std::string_view up_sampling_names[] = {"UpSampling1D", "UpSampling2D", "UpSampling3D"};

// Adds or removes rows.
class Sides final : public Layer {
 public:
  Sides(bool adds, SidesConfig config) : Layer(config.name), adds_(adds), sides_(std::move(config.sides)) {
    WT_EXPECT(!sides_.empty() && sides_.size() <= 3, "{} spatial axes", sides_.size());
    for (const Shape& sides : sides_)
      if (sides.rank() != 2 || sides[0] < 0 || sides[1] < 0)
        refuse(fmt::format("the {} is {}", adds_ ? "padding" : "cropping", print(sides)),
               "it must be two numbers of at least 0");
  }
  std::string_view class_name() const override {
    return (adds_ ? padding_names : cropping_names)[sides_.size() - 1];
  }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, static_cast<int>(sides_.size()) + 2);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const int axis = static_cast<int>(i) + 1;
      x = adds_ ? spatial::padded(x, axis, sides_[i][0], sides_[i][1])
                : spatial::cropped(x, axis, sides_[i][0], sides_[i][1]);
    }
    return {x};
  }

 private:
  bool adds_;
  std::vector<Shape> sides_;
};

Symbol repeated(Symbol x, int axis, std::int64_t times) {
  if (times == 1) return x;
  const Shape s = x.shape();
  const std::int64_t before = s.elements(0, axis + 1), after = s.elements(axis + 1, s.rank());
  Shape result = s;
  result[axis] *= times;
  return reshape(broadcast_to(reshape(x, {before, 1, after}), {before, times, after}), result);
}

// Whether a row's new value depends on its neighbours even where it stays in its place.
bool blurs(ResizeMethod method) {
  return method == ResizeMethod::gaussian || method == ResizeMethod::mitchellcubic;
}

// How many rows of an axis fit an image of these sizes without distortion, given those of the other axis.
std::int64_t in_proportion(std::int64_t other, std::int64_t own_size, std::int64_t other_size) {
  return static_cast<std::int64_t>(static_cast<float>(other * own_size) / static_cast<float>(other_size));
}

// The middle of each image, with the proportions of the sizes.
Symbol cropped_in_proportion(Symbol x, const Shape& sizes) {
  const Shape given = x.shape();
  for (const int own : {0, 1}) {
    const std::int64_t extent = given[own + 1];
    const std::int64_t wanted = in_proportion(given[2 - own], sizes[own], sizes[1 - own]);
    const std::int64_t rest = extent - std::clamp<std::int64_t>(wanted, 1, extent);
    x = spatial::cropped(x, own + 1, rest / 2, rest - rest / 2);
  }
  return x;
}

}  // namespace

Symbol resized(Symbol x, const Shape& sizes, ResizeMethod method, bool antialias) {
  for (int i = 0; i < sizes.rank(); ++i) {
    const ResizeAttributes attributes{method, x.shape()[i + 1], sizes[i], antialias};
    if (attributes.given != attributes.rows || blurs(method))
      x = spatial::multiplied(x, i + 1, resize_shares(*x.trace, attributes));
  }
  return x;
}

Symbol resized_in_proportion(Symbol x, const Shape& sizes) {
  return resized(cropped_in_proportion(x, sizes), sizes);
}

std::int64_t begin_in_proportion(std::int64_t extent, std::int64_t other, std::int64_t size,
                                 std::int64_t other_size) {
  return (extent - std::clamp<std::int64_t>(in_proportion(other, size, other_size), 1, extent)) / 2;
}

namespace {

// Each image within a frame that gives it the proportions of the sizes. Keras' frame is as thick on both sides, even where
// an odd number of rows is missing.
Symbol padded_in_proportion(Symbol x, const Shape& sizes, double value) {
  const Shape given = x.shape();
  for (const int own : {0, 1}) {
    const std::int64_t wanted = in_proportion(given[2 - own], sizes[own], sizes[1 - own]);
    const std::int64_t side = std::max<std::int64_t>(wanted - given[own + 1], 0) / 2;
    x = spatial::padded(x, own + 1, side, side, value);
  }
  return x;
}

// The remedy where the version of Keras has no such interpolation.
constexpr std::string_view other_method = "choose another interpolation, or semantics keras2";
bool is_known(ResizeMethod method, Semantics semantics) {
  return !blurs(method) || is_on(Switch::images_are_resized_by_blurring, semantics);
}
std::string unknown(ResizeMethod method) {
  return fmt::format("Keras 3 has no interpolation \"{}\"", name(method));
}

class UpSampling final : public Layer {
 public:
  explicit UpSampling(UpSamplingConfig config) : Layer(config.name), config_(std::move(config)) {
    WT_EXPECT(config_.size.rank() >= 1 && config_.size.rank() <= 3, "{} spatial axes", config_.size.rank());
    for (const std::int64_t times : config_.size) require_positive("size", times);
  }
  std::string_view class_name() const override {
    return up_sampling_names[static_cast<std::size_t>(config_.size.rank()) - 1];
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, config_.size.rank() + 2);
    if (!is_known(config_.method, building.semantics())) refuse(unknown(config_.method), other_method);
    Shape sizes;
    for (int i = 0; i < config_.size.rank(); ++i) sizes.append(x.shape()[i + 1] * config_.size[i]);
    if (config_.method != ResizeMethod::nearest) return {resized(x, sizes, config_.method, false)};
    for (int i = 0; i < config_.size.rank(); ++i) x = repeated(x, i + 1, config_.size[i]);
    return {x};
  }

 private:
  UpSamplingConfig config_;
};

class Resizing final : public Layer {
 public:
  explicit Resizing(ResizingConfig config) : Layer(config.name), config_(std::move(config)) {
    require_positive("height", config_.height);
    require_positive("width", config_.width);
  }
  std::string_view class_name() const override { return "Resizing"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, 4);
    if (!is_known(config_.method, building.semantics())) refuse(unknown(config_.method), other_method);
    if (!is_floating(x.spec().type)) x = cast(x, Type::float32);
    const Shape sizes{config_.height, config_.width};
    if (config_.aspect == Aspect::crop) x = cropped_in_proportion(x, sizes);
    if (config_.aspect == Aspect::pad) x = padded_in_proportion(x, sizes, config_.fill_value);
    return {resized(x, sizes, config_.method, config_.antialias)};
  }

 private:
  ResizingConfig config_;
};

class CenterCrop final : public Layer {
 public:
  explicit CenterCrop(ResizingConfig config) : Layer(config.name), config_(std::move(config)) {
    require_positive("height", config_.height);
    require_positive("width", config_.width);
  }
  std::string_view class_name() const override { return "CenterCrop"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, 4);
    const Shape sizes{config_.height, config_.width};
    if (x.shape()[1] < config_.height || x.shape()[2] < config_.width)
      return {resized_in_proportion(x, sizes)};
    for (const auto& [axis, kept] : {std::pair(1, config_.height), std::pair(2, config_.width)}) {
      const std::int64_t rest = x.shape()[axis] - kept;
      x = spatial::cropped(x, axis, rest / 2, rest - rest / 2);
    }
    return {x};
  }

 private:
  ResizingConfig config_;
};

}  // namespace

LayerPtr zero_padding(SidesConfig config) { return std::make_shared<Sides>(true, std::move(config)); }
LayerPtr cropping(SidesConfig config) { return std::make_shared<Sides>(false, std::move(config)); }
LayerPtr up_sampling(UpSamplingConfig config) { return std::make_shared<UpSampling>(std::move(config)); }
LayerPtr resizing(ResizingConfig config) { return std::make_shared<Resizing>(std::move(config)); }
LayerPtr center_crop(ResizingConfig config) { return std::make_shared<CenterCrop>(std::move(config)); }

}  // namespace wt::model
