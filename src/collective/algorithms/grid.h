#pragma once
// The axes that an all-reduce goes along: of a torus, whose ends may be joined or not, or levels of a network.

#include <vector>

#include "collective/request.h"
#include "collective/rule.h"

namespace wt::collective {

struct Axis {
  int length = 1;
  bool line = false;  // its ends aren't joined
  bool operator==(const Axis&) const = default;
};
using Grid = std::vector<Axis>;  // ranks are numbered along the first axis, then along the next

Grid grid_of_rings(const std::vector<int>& lengths);

// A torus of so many axes as the options have it: a chip's cores, then its axes, then slices, of which there may be
// one. InputError where it can't be one.
Grid torus_of(const Request& request, int axes);

// Reduce-scatter inwards, each axis on what the ones before it have left, then all-gather outwards. Chunk r is
// rank r's.
Rule along_axes(const Grid& grid);

}  // namespace wt::collective
