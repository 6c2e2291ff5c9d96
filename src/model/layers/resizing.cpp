#include "model/layers/resizing.h"

#include <fmt/format.h>

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

// The shares of the given rows in each new row, a matrix [rows, given]. Row i of the result lies at (i + 0.5) given /
// rows - 0.5 among the given rows, as tf.image.resize places it, and takes its two neighbours by their nearness.
Symbol shares(Symbol x, std::int64_t given, std::int64_t rows) {
  const auto number = [&](double value) { return fill(*x.trace, {Type::float32, {}}, value); };
  const double scale = static_cast<double>(given) / static_cast<double>(rows);
  const Symbol position = range(*x.trace, {Type::float32, {rows}}, scale) + (0.5 * scale - 0.5);
  const Symbol inside = maximum(minimum(position, number(static_cast<double>(given) - 1)), number(0));
  const Symbol distance = abs(reshape(inside, {rows, 1}) - range(*x.trace, {Type::float32, {given}}, 1));
  return relu(-distance + 1);
}

// Brings an axis to the end and multiplies it by a matrix [rows, extent of the axis].
Symbol multiplied(Symbol x, int axis, Symbol matrix) {
  Shape order;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (i != axis) order.append(i);
  order.append(axis);
  Shape back;
  for (int i = 0; i < x.shape().rank(); ++i)
    back.append(i < axis ? i : i == axis ? x.shape().rank() - 1 : i - 1);
  return transpose(matmul(transpose(x, order), matrix, {.transpose_b = true}), back);
}

Symbol interpolated(Symbol x, int axis, std::int64_t rows) {
  if (x.shape()[axis] == rows) return x;
  return multiplied(x, axis, shares(x, x.shape()[axis], rows));
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
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, config_.size.rank() + 2);
    for (int i = 0; i < config_.size.rank(); ++i)
      x = config_.is_bilinear ? interpolated(x, i + 1, x.shape()[i + 1] * config_.size[i])
                              : repeated(x, i + 1, config_.size[i]);
    return {x};
  }

 private:
  UpSamplingConfig config_;
};

// 1 where a new row is copied from a given one: floor((i + 0.5) given / rows).
Symbol copies(Symbol x, std::int64_t given, std::int64_t rows) {
  const double scale = static_cast<double>(given) / static_cast<double>(rows);
  const Symbol position = range(*x.trace, {Type::float32, {rows}}, scale) + 0.5 * scale;
  const Symbol whole = cast(cast(position, Type::int32), Type::float32);
  return cast(equal(reshape(whole, {rows, 1}), range(*x.trace, {Type::float32, {given}}, 1)), Type::float32);
}

class Resizing final : public Layer {
 public:
  explicit Resizing(ResizingConfig config) : Layer(config.name), config_(std::move(config)) {
    require_positive("height", config_.height);
    require_positive("width", config_.width);
  }
  std::string_view class_name() const override { return "Resizing"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, 4);
    if (!is_floating(x.spec().type)) x = cast(x, Type::float32);
    for (const auto& [axis, rows] : {std::pair(1, config_.height), std::pair(2, config_.width)})
      x = config_.is_bilinear       ? interpolated(x, axis, rows)
          : x.shape()[axis] == rows ? x
                                    : multiplied(x, axis, copies(x, x.shape()[axis], rows));
    return {x};
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
    for (const auto& [axis, kept] : {std::pair(1, config_.height), std::pair(2, config_.width)}) {
      const std::int64_t rest = x.shape()[axis] - kept;
      if (rest < 0)
        refuse(fmt::format("an image of {} is smaller than the crop", print(x.spec())),
               "crop less: enlarging images first is not offered");
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
