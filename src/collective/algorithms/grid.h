#pragma once
// All-reduces along one axis after the other. Axes are those of a torus, whose ends may be joined or not, or
// the levels of a network.

#include <vector>

#include "collective/request.h"
#include "collective/rule.h"

namespace wt::collective {

struct Axis {
  int length = 1;
  bool line = false;  // Its ends aren't joined.
  bool operator==(const Axis&) const = default;
};
using Grid = std::vector<Axis>;  // Ranks are numbered along the first axis, then along the next.

Grid grid_of_rings(const std::vector<int>& lengths);

// A torus of `axes` axes as the options describe it: first an axis of the cores of a chip, then the axes of
// the torus, then one of the slices, whose length may be 1. Throws InputError if the ranks can't be arranged
// like that.
Grid torus_of(const Request& request, int axes);

// An all-reduce: reduce-scatters along the axes from the first to the last, each on the part that the axes
// before have left, then all-gathers from the last to the first. It takes a chunk for each rank, numbered by
// the coordinates of its owner (see grid.cpp).
Rule along_axes(const Grid& grid);

}  // namespace wt::collective
