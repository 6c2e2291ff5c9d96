// Rings along one axis after the other. Along a torus's axes that is Google's two-phase scheme, along the levels of
// a network BlueConnect (Cho, Finkler, Serrano, Kung and Hunter, 2019), and inside and across machines the
// two-level all-reduce.
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

// By default one level for each prime factor.
Schedule blueconnect(const Request& request) {
  int levels = 0;
  for (int rest = request.ranks, factor = 2; rest > 1;
       rest % factor == 0 ? rest /= factor, ++levels : ++factor) {
  }
  return along(request, grid_of_rings(shape_of(request, levels)));
}

}  // namespace wt::collective
