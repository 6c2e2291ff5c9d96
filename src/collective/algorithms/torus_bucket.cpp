// Bucket algorithms: on a torus of D axes the vector is cut into 2 D parts, one for each direction of each
// axis. Each part passes along all axes in turn, beginning with its own, so that all ports are always busy
// (Jain and Sabharwal, "Optimal bucket algorithms for large MPI collectives on torus interconnects", 2010).
// An axis whose ends aren't joined needs a single part, because reductions on a line use both directions. The
// cores of a chip add among each other before anything leaves the chip. Slices exchange the parts that their
// chips are left with.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/grid.h"

namespace wt::collective {

namespace {

// The axis at place `axis` of a grid whose axes are rotated so that `first` comes first. The axis of the
// cores stays in front, and that of the slices at the end.
std::size_t turned(std::size_t axis, std::size_t first, std::size_t axes) {
  const bool turns = axis > 0 && axis + 1 < axes;
  return turns ? 1 + (first + axis - 2) % (axes - 2) : axis;
}

Grid turned(const Grid& grid, std::size_t first) {
  Grid other;
  for (std::size_t axis = 0; axis < grid.size(); ++axis)
    other.push_back(grid[turned(axis, first, grid.size())]);
  return other;
}

// The ranks in the order of the rotated grid. If `backwards`, all axes but that of the cores are reversed.
std::vector<int> seen_along(const Grid& grid, std::size_t first, bool backwards, int n) {
  std::vector<int> stride(grid.size(), 1), ranks;
  for (std::size_t axis = 1; axis < grid.size(); ++axis)
    stride[axis] = stride[axis - 1] * grid[axis - 1].length;
  for (int place = 0; place < n; ++place) {
    int rest = place, rank = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const std::size_t axis = turned(i, first, grid.size());
      const int length = grid[axis].length, coordinate = rest % length;
      rank += (backwards && axis > 0 ? length - 1 - coordinate : coordinate) * stride[axis];
      rest /= length;
    }
    ranks.push_back(rank);
  }
  return ranks;
}

Schedule bucket(const Request& request, int axes) {
  const int n = request.ranks;
  const Grid grid = torus_of(request, axes);
  std::vector<Rule> parts;
  for (std::size_t first = 1; first + 1 < grid.size(); ++first)
    for (int way = 0; way < (grid[first].line ? 1 : 2); ++way)
      parts.push_back(on_chunks(n * std::ssize(parts), among(seen_along(grid, first, way == 1, n),
                                                             along_axes(turned(grid, first)))));
  const std::int64_t chunks = n * std::ssize(parts);
  return schedule_of(Operation::all_reduce, request, chunks, together(std::move(parts)));
}

}  // namespace

Schedule torus_2d_bucket(const Request& request) { return bucket(request, 2); }
Schedule torus_3d_bucket(const Request& request) { return bucket(request, 3); }

}  // namespace wt::collective
