#include "cluster/ring_order.h"

#include <algorithm>

#include "base/error.h"

namespace wt::cluster {

namespace {

// Extends a cycle to a cycle through copies of it along an axis. The order visits the first place of the
// first copy, then all copies without their first places, alternately forwards and backwards, and returns
// through the first places. With an even number of copies all steps lead to neighbours.
std::vector<Place3> stacked(const std::vector<Place3>& ring, std::size_t axis, std::int32_t layers) {
  std::vector<Place3> order = {ring.front()};
  const auto add = [&](Place3 place, std::int32_t layer) {
    place[axis] = layer;
    order.push_back(place);
  };
  for (std::int32_t layer = 0; layer < layers; ++layer) {
    for (std::size_t step = 1; step < ring.size(); ++step)
      add(ring[layer % 2 == 0 ? step : ring.size() - step], layer);
  }
  for (std::int32_t layer = layers - 1; layer > 0; --layer) add(ring.front(), layer);
  return order;
}

std::vector<Place3> row_by_row(const std::array<std::int32_t, 3>& extents) {
  std::vector<Place3> order;
  for (std::int32_t z = 0; z < extents[2]; ++z)
    for (std::int32_t y = 0; y < extents[1]; ++y)
      for (std::int32_t x = 0; x < extents[0]; ++x) order.push_back({x, y, z});
  return order;
}

}  // namespace

RingOrder ring_order(const std::array<std::int32_t, 3>& extents) {
  std::vector<std::size_t> long_axes;
  bool has_odd = false;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    WT_EXPECT(extents[axis] > 0, extents[axis]);
    if (extents[axis] == 1) continue;
    long_axes.push_back(axis);
    has_odd = has_odd || extents[axis] % 2 != 0;
  }
  if (long_axes.size() <= 1) return {.places = row_by_row(extents)};
  if (has_odd) return {.places = row_by_row(extents), .is_ring = false};
  std::array<std::int32_t, 3> line = {1, 1, 1};
  line[long_axes[0]] = extents[long_axes[0]];
  std::vector<Place3> order = row_by_row(line);
  for (std::size_t next = 1; next < long_axes.size(); ++next)
    order = stacked(order, long_axes[next], extents[long_axes[next]]);
  return {.places = std::move(order)};
}

}  // namespace wt::cluster
