#pragma once
// A Hamiltonian cycle of a grid: an order of all places in which consecutive places are neighbours, and the
// last place is a neighbour of the first. For 2x2x1 it is (0,0,0) (1,0,0) (1,1,0) (0,1,0). TensorFlow orders
// TPU chips this way (`_ring_2d`, `_ring_3d` of tensorflow/python/tpu/device_assignment.py).

#include <array>
#include <cstdint>
#include <vector>

namespace wt::cluster {

using Place3 = std::array<std::int32_t, 3>;  // x, y, z

struct RingOrder {
  std::vector<Place3> places{};
  // False if an extent is odd: the places are then in order row by row, x fastest, and TensorFlow warns "Odd
  // dimension".
  bool is_ring = true;
};

// A grid with only one extent above 1 is a line, whose ends are not neighbours. Requires: all extents are
// above 0.
RingOrder ring_order(const std::array<std::int32_t, 3>& extents);

}  // namespace wt::cluster
