// Rings along one axis after the other. Along the axes of a torus this is Google's 2-D torus all-reduce (Ying
// and others, "Image classification at supercomputer scale", 2018). Along the levels of a network it is
// BlueConnect (Cho, Finkler, Serrano, Kung and Hunter, "BlueConnect: decomposing all-reduce for deep learning
// on heterogeneous network hierarchy", 2019). Within and across machines it is the two-level (hierarchical)
// all-reduce.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/grid.h"

namespace wt::collective {

namespace {

Schedule along(const Request& request, const Grid& grid) {
  return schedule_of(Operation::all_reduce, request, request.ranks, along_axes(grid));
}

}  // namespace

Schedule torus_2d(const Request& request) { return along(request, torus_of(request, 2)); }
Schedule torus_3d(const Request& request) { return along(request, torus_of(request, 3)); }
Schedule hierarchical(const Request& request) { return along(request, grid_of_rings(shape_of(request, 2))); }

// Without a shape, there is one level for each prime factor of the number of ranks.
Schedule blueconnect(const Request& request) {
  int levels = 0;
  for (int rest = request.ranks, factor = 2; rest > 1;
       rest % factor == 0 ? rest /= factor, ++levels : ++factor) {
  }
  return along(request, grid_of_rings(shape_of(request, levels)));
}

}  // namespace wt::collective
