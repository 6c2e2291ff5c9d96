#pragma once
// The extents of a grid of devices, "4x4x8". Numbers run through the last axis fastest.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt::platform {

inline constexpr std::size_t most_axes = 4;

using Coordinates = std::array<std::int32_t, most_axes>;  // those beyond the shape's axes are 0

struct Shape {
  std::vector<std::int32_t> extents{};

  std::size_t axes() const { return extents.size(); }
  std::int64_t count() const;
  std::int32_t operator[](std::size_t axis) const { return extents[axis]; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

std::string print(const Shape& shape);
std::optional<Shape> parse_shape(std::string_view text);  // none if it is no shape, or a huge one

Coordinates coordinates_of(std::int32_t number, const Shape& shape);
std::int32_t number_of(const Coordinates& coordinates, const Shape& shape);

}  // namespace wt::platform
