#pragma once
// Images whose pixels come from other places, as TensorFlow's ImageProjectiveTransformV3 takes them. Of the gradient there is
// that of the images: what each pixel of the result takes goes back to where it came from.

#include "program/operations.h"

namespace wt::model {

// What lies beyond an image: its mirror image, a number, the image again, or the nearest pixel.
enum class FillMode : std::uint8_t { reflect, constant, wrap, nearest };
enum class Interpolation : std::uint8_t { bilinear, nearest };

struct Warp {
  FillMode fill = FillMode::reflect;
  Interpolation interpolation = Interpolation::bilinear;
  double value = 0;  // beyond an image, of FillMode::constant
};

// Where each pixel of [batch, height, width] comes from, counted in pixels. Both broadcast to that shape.
struct Places {
  Symbol x{};
  Symbol y{};
};
// The places of the pixels themselves: x is [1, 1, width] and y [1, height, 1].
Places own_places(Symbol images);

// Images [batch, height, width, channels] of float32 with the pixels at these places.
Symbol warped(Symbol images, const Places& places, const Warp& warp);

}  // namespace wt::model
