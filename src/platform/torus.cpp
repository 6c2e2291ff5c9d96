#include "platform/torus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/narrow.h"

namespace wt::platform {

bool can_be_twisted(const Shape& shape) {
  if (shape.axes() < 2 || shape.axes() > 3) return false;
  const std::int32_t shortest = *std::min_element(shape.extents.begin(), shape.extents.end());
  const auto is = [&](std::int32_t length) {
    return std::count(shape.extents.begin(), shape.extents.end(), length);
  };
  return is(shortest) + is(2 * shortest) == static_cast<std::ptrdiff_t>(shape.axes()) && is(2 * shortest) > 0;
}

TorusFabric::TorusFabric(Grid grid, const Link& link) : grid_(std::move(grid)), link_(link) {
  const Shape& shape = grid_.shape;
  WT_EXPECT(grid_.wraps.size() == shape.axes() && grid_.block.axes() == shape.axes(), shape.axes());
  WT_EXPECT(!grid_.twisted || can_be_twisted(shape), "{}", print(shape));
  shortest_ = *std::min_element(shape.extents.begin(), shape.extents.end());
  std::int64_t links = 0;
  for (std::size_t axis = 0; axis < shape.axes(); ++axis) {
    blocks_.extents.push_back(shape[axis] / grid_.block[axis]);
    first_link_.push_back(narrow<std::int32_t>(links));
    links += 2 * edges(axis) * (shape.count() / shape[axis]);
  }
  first_link_.push_back(narrow<std::int32_t>(links));
}

// A ring has one connection more than a line. An axis of one place has none.
std::int32_t TorusFabric::edges(std::size_t axis) const {
  const std::int32_t extent = grid_.shape[axis];
  return grid_.wraps[axis] && extent > 1 ? extent : extent - 1;
}

std::int32_t TorusFabric::links_of_port() const {
  std::int32_t links = 0;
  for (std::size_t axis = 0; axis < grid_.shape.axes(); ++axis) links += std::min(2, edges(axis));
  return links;
}

// A port has the number: machine x ports of a machine + number inside the machine.
Coordinates TorusFabric::coordinates(std::int32_t port) const {
  const auto block = narrow<std::int32_t>(grid_.block.count());
  const Coordinates outer = coordinates_of(port / block, blocks_);
  Coordinates place = coordinates_of(port % block, grid_.block);
  for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) place[axis] += outer[axis] * grid_.block[axis];
  return place;
}

std::int32_t TorusFabric::port_at(const Coordinates& place) const {
  Coordinates outer{};
  Coordinates inner{};
  for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) {
    outer[axis] = place[axis] / grid_.block[axis];
    inner[axis] = place[axis] % grid_.block[axis];
  }
  const auto block = narrow<std::int32_t>(grid_.block.count());
  return number_of(outer, blocks_) * block + number_of(inner, grid_.block);
}

// The signed number of steps by which a distance along an axis is covered the shorter way around the ring.
std::int32_t TorusFabric::around(std::int32_t distance, std::size_t axis) const {
  const std::int32_t extent = grid_.shape[axis];
  if (!grid_.wraps[axis]) return distance;
  distance = ((distance % extent) + extent) % extent;
  return 2 * distance > extent ? distance - extent : distance;
}

Coordinates TorusFabric::steps(std::int32_t from, std::int32_t to) const {
  const Coordinates start = coordinates(from);
  const Coordinates end = coordinates(to);
  Coordinates plain{};
  for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) plain[axis] = end[axis] - start[axis];
  if (!grid_.twisted) {
    for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) plain[axis] = around(plain[axis], axis);
    return plain;
  }
  return shortest(plain);
}

Coordinates TorusFabric::shortest(const Coordinates& plain) const {
  // The candidates go once around each short axis, in either direction or not at all. Each round also moves
  // half-way along the long axes.
  Coordinates best{};
  std::int32_t least = -1;
  const std::int32_t short_axes = static_cast<std::int32_t>(
      std::count(grid_.shape.extents.begin(), grid_.shape.extents.end(), shortest_));
  for (std::int32_t choice = 0; choice < (short_axes == 1 ? 3 : 9); ++choice) {
    Coordinates way = plain;
    std::int32_t rounds = 0;
    std::int32_t rest = choice;
    for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) {
      if (!is_short(axis)) continue;
      const std::int32_t round = 1 - rest % 3;  // the positive direction first
      rest /= 3;
      way[axis] += round * shortest_;
      rounds += round;
    }
    std::int32_t length = 0;
    for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) {
      if (!is_short(axis)) way[axis] = around(way[axis] + rounds * shortest_, axis);
      length += std::abs(way[axis]);
    }
    if (least >= 0 && length >= least) continue;
    least = length;
    best = way;
  }
  return best;
}

// Moves one step along an axis. Over the end of a short axis of a twisted torus, the long axes move half-way,
// too.
void TorusFabric::step(Coordinates& place, std::size_t axis, std::int32_t direction) const {
  const std::int32_t extent = grid_.shape[axis];
  place[axis] += direction;
  if (place[axis] >= 0 && place[axis] < extent) return;
  place[axis] = (place[axis] + extent) % extent;
  if (!is_short(axis)) return;
  for (std::size_t other = 0; other < blocks_.axes(); ++other)
    if (!is_short(other)) place[other] = (place[other] + shortest_) % grid_.shape[other];
}

// The number of the line along an axis on which a place lies.
std::int32_t TorusFabric::line_of(const Coordinates& place, std::size_t axis) const {
  std::int32_t line = 0;
  for (std::size_t other = 0; other < blocks_.axes(); ++other)
    if (other != axis) line = line * grid_.shape[other] + place[other];
  return line;
}

void TorusFabric::route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const {
  const Coordinates ways = steps(from, to);
  std::size_t length = 0;
  for (const std::int32_t way : ways) length += static_cast<std::size_t>(std::abs(way));
  trail.reserve(length);
  Coordinates place = coordinates(from);
  for (std::size_t axis = 0; axis < blocks_.axes(); ++axis) {
    const std::int32_t direction = ways[axis] < 0 ? -1 : 1;
    for (std::int32_t left = std::abs(ways[axis]); left > 0; --left) {
      const Coordinates before = place;
      step(place, axis, direction);
      // A connection is numbered by its lower end, from which it leads in the positive direction.
      const Coordinates& low = direction > 0 ? before : place;
      const std::int32_t number = line_of(low, axis) * edges(axis) + low[axis];
      const std::int32_t link = first_link_[axis] + 2 * number + (direction > 0 ? 0 : 1);
      trail.add(LinkId(static_cast<std::int32_t>(first) + link), link_);
    }
  }
}

std::string TorusFabric::name(std::int32_t link, const PortName& port) const {
  std::size_t axis = 0;
  while (link >= first_link_[axis + 1]) ++axis;
  const std::int32_t number = (link - first_link_[axis]) / 2;
  std::int32_t line = number / edges(axis);
  Coordinates low{};
  low[axis] = number % edges(axis);
  for (std::size_t other = blocks_.axes(); other-- > 0;) {
    if (other == axis) continue;
    low[other] = line % grid_.shape[other];
    line /= grid_.shape[other];
  }
  Coordinates high = low;
  step(high, axis, 1);
  const std::string below = port(port_at(low));
  const std::string above = port(port_at(high));
  return link % 2 == 0 ? below + " -> " + above : above + " -> " + below;
}

}  // namespace wt::platform
