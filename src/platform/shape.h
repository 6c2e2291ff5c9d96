#pragma once
// The extents of a grid of devices. "4x4x8" has 128 places. They are numbered with the last axis fastest: in
// 2x3 the places (0,0) (0,1) (0,2) (1,0) (1,1) (1,2) have the numbers 0 to 5.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt::platform {

inline constexpr std::size_t most_axes = 4;

// A place of the grid. Entries beyond the axes of the shape are 0.
using Coordinates = std::array<std::int32_t, most_axes>;

struct Shape {
  std::vector<std::int32_t> extents{};

  std::size_t axes() const { return extents.size(); }
  std::int64_t count() const;  // the number of places
  std::int32_t operator[](std::size_t axis) const { return extents[axis]; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

std::string print(const Shape& shape);  // "4x4x8"
// None if the text is not of this form, or has too many axes or places.
std::optional<Shape> parse_shape(std::string_view text);

// The place with a number, and back.
Coordinates coordinates_of(std::int32_t number, const Shape& shape);
std::int32_t number_of(const Coordinates& coordinates, const Shape& shape);

}  // namespace wt::platform
