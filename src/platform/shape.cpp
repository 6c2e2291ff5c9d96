#include "platform/shape.h"

#include <charconv>

namespace wt::platform {

std::int64_t Shape::count() const {
  std::int64_t product = 1;
  for (const std::int32_t extent : extents) product *= extent;
  return product;
}

std::string print(const Shape& shape) {
  std::string text;
  for (const std::int32_t extent : shape.extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::optional<Shape> parse_shape(std::string_view text) {
  constexpr std::int64_t most_places = 1 << 24;  // far above any real grid
  Shape shape;
  for (std::string_view rest = text;;) {
    std::int32_t extent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc{} || extent < 1 || extent > most_places) return std::nullopt;
    shape.extents.push_back(extent);
    if (shape.axes() > most_axes || shape.count() > most_places) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) return shape;
    if (rest.front() != 'x') return std::nullopt;
    rest.remove_prefix(1);
  }
}

Coordinates coordinates_of(std::int32_t number, const Shape& shape) {
  Coordinates coordinates{};
  for (std::size_t axis = shape.axes(); axis-- > 0;) {
    coordinates[axis] = number % shape[axis];
    number /= shape[axis];
  }
  return coordinates;
}

std::int32_t number_of(const Coordinates& coordinates, const Shape& shape) {
  std::int32_t number = 0;
  for (std::size_t axis = 0; axis < shape.axes(); ++axis) number = number * shape[axis] + coordinates[axis];
  return number;
}

}  // namespace wt::platform
