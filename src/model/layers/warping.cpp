#include "model/layers/warping.h"

#include "model/constants.h"

namespace wt::model {

namespace {

Symbol toward_zero(Symbol x) { return cast(cast(x, Type::int32), x.spec().type); }

// Whole numbers below or equal.
Symbol floor_of(Symbol x) {
  const Symbol whole = toward_zero(x);
  return whole - cast(less(x, whole), x.spec().type);
}

// Halves go away from zero.
Symbol rounded(Symbol x) { return sign(x) * floor_of(abs(x) + 0.5); }

Symbol within(Symbol x, double least, double most) {
  return minimum(maximum(x, number_like(x, least)), number_like(x, most));
}

// [abcd] becomes [dcba|abcd|dcba], again and again.
Symbol reflected(Symbol x, double extent) {
  const double period = 2 * extent;
  const Symbol zero = number_like(x, 0);
  const Symbol near_left = x + toward_zero(-x / period) * period;
  const Symbol left = select(less(near_left, number_like(x, -extent)), near_left + period, -near_left - 1);
  const Symbol near_right = x - toward_zero(x / period) * period;
  const Symbol right =
      select(less(near_right, number_like(x, extent)), near_right, -near_right + (period - 1));
  return select(less(x, zero), left, select(greater(x, number_like(x, extent - 1)), right, x));
}

// [abcd] becomes [abcd|abcd|abcd]. TensorFlow counts the periods by the distance of the first and the last pixel.
Symbol wrapped(Symbol x, double extent) {
  const double between = extent - 1;
  const Symbol left = x + (toward_zero(-x / between) + 1) * extent;
  const Symbol right = x - toward_zero(x / between) * extent;
  return select(less(x, number_like(x, 0)), left, select(greater(x, number_like(x, between)), right, x));
}

// The place in the image that a place beyond it stands for.
Symbol inside(Symbol x, std::int64_t extent, FillMode fill) {
  const auto pixels = static_cast<double>(extent);
  if (fill == FillMode::constant) return x;
  if (extent > 1 && fill == FillMode::reflect) x = reflected(x, pixels);
  if (extent > 1 && fill == FillMode::wrap) x = wrapped(x, pixels);
  return within(x, 0, pixels - 1);
}

// One row or column of pixels for each place, and whether it is in the image.
struct Line {
  Symbol number{};  // int32, of a pixel that is in the image
  Symbol is_inside{};
};
Line line_at(Symbol place, std::int64_t extent) {
  const double last = static_cast<double>(extent - 1);
  const Symbol number = within(place, 0, last);
  return {cast(number, Type::int32), equal(number, place)};
}

class Pixels {
 public:
  Pixels(Symbol images, const Warp& warp)
      : shape_(images.shape()), warp_(warp), rows_(reshape(images, {shape_.elements(0, 3), shape_[3]})) {}

  // The pixels [batch, height, width, channels] in these lines.
  Symbol at(const Line& y, const Line& x) const {
    Trace& trace = *rows_.trace;
    const std::int64_t batch = shape_[0], pixels = shape_[1] * shape_[2];
    const Symbol first =
        reshape(range(trace, {Type::int32, {batch}}, static_cast<double>(pixels)), {batch, 1, 1});
    const Symbol ids = first + y.number * static_cast<double>(shape_[2]) + x.number;
    const Symbol found = embedding(broadcast_to(ids, {batch, shape_[1], shape_[2]}), rows_);
    if (warp_.fill != FillMode::constant) return found;
    return select(apart(both(y.is_inside, x.is_inside)), found, number_like(found, warp_.value));
  }

  // An axis for the channels is added.
  static Symbol apart(Symbol x) {
    Shape shape = x.shape();
    shape.append(1);
    return reshape(x, shape);
  }

 private:
  static Symbol both(Symbol a, Symbol b) {
    const Symbol number = cast(a, Type::float32) * cast(b, Type::float32);
    return greater(number, number_like(number, 0));
  }

  Shape shape_;
  Warp warp_;
  Symbol rows_;
};

}  // namespace

Places own_places(Symbol images) {
  const std::int64_t height = images.shape()[1], width = images.shape()[2];
  Trace& trace = *images.trace;
  return {reshape(range(trace, {Type::float32, {width}}, 1), {1, 1, width}),
          reshape(range(trace, {Type::float32, {height}}, 1), {1, height, 1})};
}

Symbol warped(Symbol images, const Places& places, const Warp& warp) {
  const std::int64_t height = images.shape()[1], width = images.shape()[2];
  const Symbol x = inside(places.x, width, warp.fill), y = inside(places.y, height, warp.fill);
  const Pixels pixels(images, warp);
  if (warp.interpolation == Interpolation::nearest)
    return pixels.at(line_at(rounded(y), height), line_at(rounded(x), width));
  const Symbol left = floor_of(x), top = floor_of(y);
  const auto share = [](Symbol distance) { return Pixels::apart(distance); };
  const Line x_left = line_at(left, width), x_right = line_at(left + 1, width);
  const auto across = [&](const Line& row) {
    return share(left + 1 - x) * pixels.at(row, x_left) + share(x - left) * pixels.at(row, x_right);
  };
  return share(top + 1 - y) * across(line_at(top, height)) +
         share(y - top) * across(line_at(top + 1, height));
}

}  // namespace wt::model
