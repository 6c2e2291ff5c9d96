#include "model/layers/augmentation.h"

#include <algorithm>
#include <numbers>

#include "model/constants.h"
#include "model/layers/resizing.h"
#include "model/layers/spatial.h"
#include "model/operands.h"

namespace wt::model {

namespace {

// What the layers share: their stream, and that images pass out of training.
class RandomChange : public Layer {
 public:
  RandomChange(std::string_view class_name, std::string name, std::optional<std::int64_t> seed)
      : Layer(std::move(name)), class_name_(class_name), seed_(seed) {}
  std::string_view class_name() const override { return class_name_; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = as_wide_float(only(inputs, 4));
    return {building.training() ? changed(building, x) : passed(building, x)};
  }
  virtual Symbol changed(Building& building, Symbol x) const = 0;
  virtual Symbol passed(Building&, Symbol x) const { return x; }

  // Numbers between two, in one draw of the step.
  Symbol drawn(Building& building, const Shape& shape, const Between& between) const {
    const Symbol seed = building.random_stream(name() + "/seed", seed_);
    const FillAttributes span{{Type::float32, shape}, between.high - between.low};
    return building.trace().apply("uniform", std::vector{seed}, span)[0] + between.low;
  }

 private:
  std::string_view class_name_;
  std::optional<std::int64_t> seed_;
};

Symbol clipped_to(Symbol x, const Between& values) { return clipped(x, values.low, values.high); }

class RandomFlip final : public RandomChange {
 public:
  explicit RandomFlip(RandomFlipConfig config)
      : RandomChange("RandomFlip", config.name, config.seed), config_(std::move(config)) {}

 protected:
  Symbol changed(Building& building, Symbol x) const override {
    const std::int64_t rows = x.shape()[0];
    const std::vector<Symbol> draws = split(drawn(building, {2, rows, 1, 1, 1}, {0, 1}), 0, {1, 1});
    const bool together = is_on(Switch::both_flips_go_together, building.semantics());
    const auto flips = [&](std::size_t draw) {
      const Symbol own = wt::reshape(draws[draw], {rows, 1, 1, 1});
      return less(own, number_like(own, 0.5));
    };
    if (config_.horizontal) x = select(flips(0), mirrored(x, 2), x);
    if (config_.vertical) x = select(flips(together ? 0 : 1), mirrored(x, 1), x);
    return x;
  }

 private:
  static Symbol mirrored(Symbol x, int axis) {
    const Shape s = x.shape();
    const Shape sequences{s.elements(0, axis), s[axis], s.elements(axis + 1, s.rank())};
    return wt::reshape(spatial::reversed(wt::reshape(x, sequences)), s);
  }

  RandomFlipConfig config_;
};

class RandomBrightness final : public RandomChange {
 public:
  explicit RandomBrightness(RandomBrightnessConfig config)
      : RandomChange("RandomBrightness", config.name, config.seed), config_(std::move(config)) {}

 protected:
  Symbol changed(Building& building, Symbol x) const override {
    const Between& values = config_.values;
    const Symbol share = drawn(building, {x.shape()[0], 1, 1, 1}, config_.factor);
    return clipped_to(x + share * (values.high - values.low), values);
  }

 private:
  RandomBrightnessConfig config_;
};

class RandomContrast final : public RandomChange {
 public:
  explicit RandomContrast(RandomContrastConfig config)
      : RandomChange("RandomContrast", config.name, config.seed), config_(std::move(config)) {}

 protected:
  Symbol changed(Building& building, Symbol x) const override {
    const bool is_of_batch = is_on(Switch::contrast_is_one_for_all_images, building.semantics());
    const Symbol factor =
        drawn(building, {is_of_batch ? 1 : x.shape()[0], 1, 1, 1},
              {1 - (config_.is_one && !is_of_batch ? 0 : config_.factor.low), 1 + config_.factor.high});
    const Symbol mean = reduce_mean(x, {1, 2}, true);
    return clipped_to((x - mean) * factor + mean, config_.values);
  }

 private:
  RandomContrastConfig config_;
};

class RandomCrop final : public RandomChange {
 public:
  explicit RandomCrop(const RandomCropConfig& config)
      : RandomChange("RandomCrop", config.name, config.seed), sizes_{config.height, config.width} {
    require_positive("height", config.height);
    require_positive("width", config.width);
  }

 protected:
  Symbol changed(Building& building, Symbol x) const override {
    const bool is_three = is_on(Switch::crops_pass_out_of_training, building.semantics());
    for (const int axis : {0, 1}) {
      const std::int64_t rest = x.shape()[axis + 1] - sizes_[axis];
      if (rest < 0 || (is_three && rest == 0))
        return is_three ? middle_of(x) : resized_in_proportion(x, sizes_);
    }
    const std::vector<Symbol> draws = split(drawn(building, {2}, {0, 1}), 0, {1, 1});
    for (const int axis : {0, 1}) {
      const std::int64_t given = x.shape()[axis + 1], rows = sizes_[axis];
      const auto counted = [&](std::int64_t count) {
        return range(building.trace(), {Type::int32, {count}}, 1);
      };
      const Symbol begin =
          cast(draws[static_cast<std::size_t>(axis)] * static_cast<double>(given - rows + 1), Type::int32);
      const Symbol place = wt::reshape(counted(rows) + begin, {rows, 1});
      x = spatial::multiplied(x, axis + 1, cast(equal(place, counted(given)), Type::float32));
    }
    return x;
  }
  Symbol passed(Building& building, Symbol x) const override {
    if (is_on(Switch::crops_pass_out_of_training, building.semantics())) return x;
    return resized_in_proportion(x, sizes_);
  }

 private:
  // Keras 3 finds where a crop in proportion begins, takes as much as the sizes say from there on, and resizes what it got.
  Symbol middle_of(Symbol x) const {
    const Shape given = x.shape();
    for (const int axis : {0, 1}) {
      const std::int64_t extent = given[axis + 1];
      const std::int64_t begin = begin_in_proportion(extent, given[2 - axis], sizes_[axis], sizes_[1 - axis]);
      const std::int64_t rest = std::max<std::int64_t>(extent - begin - sizes_[axis], 0);
      x = spatial::cropped(x, axis + 1, begin, rest);
    }
    return resized(x, sizes_);
  }

  Shape sizes_;
};

// What the layers share that take pixels from other places.
class RandomWarp : public RandomChange {
 public:
  RandomWarp(std::string_view class_name, std::string name, std::optional<std::int64_t> seed,
             const Warp& warp)
      : RandomChange(class_name, std::move(name), seed), warp_(warp) {}

 protected:
  Symbol changed(Building& building, Symbol x) const override {
    return warped(x, places(building, x), warp_);
  }
  virtual Places places(Building& building, Symbol x) const = 0;

  // Two numbers for each image, [batch, 1, 1].
  std::vector<Symbol> drawn_twice(Building& building, Symbol x, const Between& first,
                                  const Between& second) const {
    const std::int64_t rows = x.shape()[0];
    std::vector<Symbol> draws = split(drawn(building, {2, rows, 1, 1}, {0, 1}), 0, {1, 1});
    const auto within = [&](Symbol draw, const Between& between) {
      return wt::reshape(draw, {rows, 1, 1}) * (between.high - between.low) + between.low;
    };
    return {within(draws[0], first), within(draws[1], second)};
  }

  static double height(Symbol x) { return static_cast<double>(x.shape()[1]); }
  static double width(Symbol x) { return static_cast<double>(x.shape()[2]); }

 private:
  Warp warp_;
};

class RandomTranslation final : public RandomWarp {
 public:
  explicit RandomTranslation(const RandomTranslationConfig& config)
      : RandomWarp("RandomTranslation", config.name, config.seed, config.warp),
        height_(config.height),
        width_(config.width) {}

 protected:
  Places places(Building& building, Symbol x) const override {
    const std::vector<Symbol> by = drawn_twice(building, x, height_, width_);
    const Places own = own_places(x);
    return {own.x - by[1] * width(x), own.y - by[0] * height(x)};
  }

 private:
  Between height_, width_;
};

class RandomRotation final : public RandomWarp {
 public:
  explicit RandomRotation(const RandomRotationConfig& config)
      : RandomWarp("RandomRotation", config.name, config.seed, config.warp), factor_(config.factor) {}

 protected:
  Places places(Building& building, Symbol x) const override {
    const auto [sine, cosine] = of_turns(drawn(building, {x.shape()[0], 1, 1}, factor_));
    const Places own = own_places(x);
    const double last_x = width(x) - 1, last_y = height(x) - 1;
    const Symbol x_offset = (-(cosine * last_x - sine * last_y) + last_x) / 2;
    const Symbol y_offset = (-(sine * last_x + cosine * last_y) + last_y) / 2;
    return {cosine * own.x - sine * own.y + x_offset, sine * own.x + cosine * own.y + y_offset};
  }

 private:
  struct Direction {
    Symbol sine{};
    Symbol cosine{};
  };

  // Of an angle in turns: by Taylor's series of a quarter of the angle within half a turn, which is then doubled twice.
  static Direction of_turns(Symbol turns) {
    const Symbol whole = cast(cast(turns + select_half(turns), Type::int32), Type::float32);
    const Symbol angle = (turns - whole) * (std::numbers::pi / 2), squared = square(angle);
    const auto series = [&](std::initializer_list<double> factors) {
      Symbol sum = number_like(angle, 1);
      for (const double factor : factors) sum = sum * squared / -factor + 1;
      return sum;
    };
    Direction at{angle * series({10 * 11, 8 * 9, 6 * 7, 4 * 5, 2 * 3}),
                 series({9 * 10, 7 * 8, 5 * 6, 3 * 4, 1 * 2})};
    for (int i = 0; i < 2; ++i) at = {at.sine * at.cosine * 2, -(square(at.sine) * 2) + 1};
    return at;
  }
  static Symbol select_half(Symbol x) {
    return select(less(x, number_like(x, 0)), number_like(x, -0.5), number_like(x, 0.5));
  }

  Between factor_;
};

class RandomZoom final : public RandomWarp {
 public:
  explicit RandomZoom(const RandomZoomConfig& config)
      : RandomWarp("RandomZoom", config.name, config.seed, config.warp),
        height_(config.height),
        width_(config.width) {}

 protected:
  Places places(Building& building, Symbol x) const override {
    const std::vector<Symbol> by =
        drawn_twice(building, x, of_size(height_), of_size(width_.value_or(height_)));
    const Places own = own_places(x);
    const auto around_middle = [](Symbol place, Symbol zoom, double extent) {
      return zoom * place + (-zoom + 1) * ((extent - 1) / 2);
    };
    return {around_middle(own.x, width_ ? by[1] : by[0], width(x)), around_middle(own.y, by[0], height(x))};
  }

 private:
  static Between of_size(const Between& share) { return {1 + share.low, 1 + share.high}; }

  Between height_;
  std::optional<Between> width_;
};

class OtherAugmentation final : public RandomChange {
 public:
  OtherAugmentation(std::string_view class_name, std::string name)
      : RandomChange(class_name, std::move(name), std::nullopt) {}

 protected:
  Symbol changed(Building&, Symbol) const override {
    refuse("in training its results would have a random size, and it is not offered there",
           "change the rows of the dataset before, or take RandomZoom, which keeps the size");
  }
};

constexpr std::string_view other_names[] = {"RandomHeight", "RandomWidth"};

}  // namespace

LayerPtr random_flip(RandomFlipConfig config) { return std::make_shared<RandomFlip>(std::move(config)); }
LayerPtr random_brightness(RandomBrightnessConfig config) {
  return std::make_shared<RandomBrightness>(std::move(config));
}
LayerPtr random_contrast(RandomContrastConfig config) {
  return std::make_shared<RandomContrast>(std::move(config));
}
LayerPtr random_crop(const RandomCropConfig& config) { return std::make_shared<RandomCrop>(config); }
LayerPtr random_translation(const RandomTranslationConfig& config) {
  return std::make_shared<RandomTranslation>(config);
}
LayerPtr random_rotation(const RandomRotationConfig& config) {
  return std::make_shared<RandomRotation>(config);
}
LayerPtr random_zoom(const RandomZoomConfig& config) { return std::make_shared<RandomZoom>(config); }
std::span<const std::string_view> other_augmentations() { return other_names; }
LayerPtr random_augmentation(std::string_view class_name, std::string name) {
  return std::make_shared<OtherAugmentation>(class_name, std::move(name));
}

}  // namespace wt::model
