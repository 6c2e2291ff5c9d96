#include "collective/algorithms/grid.h"

#include <fmt/format.h>

#include "base/error.h"

namespace wt::collective {

namespace {

// Chunks are numbered by the coordinates of their owner, with that of the first axis as the most significant
// digit. So the part of the vector that a rank still works on after each axis is one range of chunks.
struct Digit {
  int size = 0;
  int stride = 0;        // difference of rank numbers between neighbours on the axis
  int chunks_below = 0;  // chunks that have the same coordinates up to this axis
};

struct Digits {
  std::vector<Digit> all{};
  int ranks = 1;

  explicit Digits(const Grid& grid) {
    for (const Axis& axis : grid) {
      all.push_back({axis.length, ranks, 1});
      ranks *= axis.length;
    }
    for (Digit& digit : all) digit.chunks_below = ranks / (digit.stride * digit.size);
  }

  int place(std::size_t axis, int rank) const { return rank / all[axis].stride % all[axis].size; }

  // The chunks whose owners have the coordinates of `rank` on the axes before `axis`, and `digit` on it.
  Chunks chunks(std::size_t axis, int rank, int digit) const {
    int first = digit * all[axis].chunks_below;
    for (std::size_t i = 0; i < axis; ++i) first += place(i, rank) * all[i].chunks_below;
    return {first, all[axis].chunks_below};
  }
};

Rule around_a_ring(const Digits& digits, std::size_t axis, Effect effect) {
  return alike(digits.all[axis].size - 1, [=](int round, Round& moves) {
    const auto [size, stride, below] = digits.all[axis];
    for (int r = 0; r < digits.ranks; ++r) {
      const int place = digits.place(axis, r);
      const int next = r + ((place + 1) % size - place) * stride;
      const int digit = modulo(place - round - (effect == Effect::reduce), size);
      moves.moves.push_back({r, next, effect, digits.chunks(axis, r, digit)});
    }
  });
}

// Sums move from both ends towards each owner, and chunks with a far owner start first. A link carries in
// each direction the chunks of all owners beyond it, and every message goes to a neighbour.
Rule reduce_on_a_line(const Digits& digits, std::size_t axis) {
  const int size = digits.all[axis].size, stride = digits.all[axis].stride;
  return {size - 1,
          [=](int round, Round& moves) {
            for (int r = 0; r < digits.ranks; ++r) {
              const int place = digits.place(axis, r);
              const int up = size - 1 - (round - place), down = round - (size - 1 - place);
              if (up > place && up < size) moves.reduce(r, r + stride, digits.chunks(axis, r, up));
              if (down >= 0 && down < place) moves.reduce(r, r - stride, digits.chunks(axis, r, down));
            }
          },
          {}};
}

Rule scatter(const Digits& digits, std::size_t axis, bool line) {
  return line ? reduce_on_a_line(digits, axis) : around_a_ring(digits, axis, Effect::reduce);
}

Rule gather(const Digits& digits, std::size_t axis, bool line) {
  return line ? reversed(reduce_on_a_line(digits, axis), Effect::copy)
              : around_a_ring(digits, axis, Effect::copy);
}

}  // namespace

Grid grid_of_rings(const std::vector<int>& lengths) {
  Grid grid;
  for (const int length : lengths) grid.push_back({length});
  return grid;
}

Grid torus_of(const Request& request, int axes) {
  const int cores = request.options.cores, slices = request.options.slices;
  if (request.ranks % slices != 0)
    throw InputError(fmt::format("{} ranks cannot be divided into {} equal slices", request.ranks, slices),
                     "give another number of slices");
  Request chips = request;
  chips.ranks = request.ranks / slices / cores;
  if (request.ranks / slices % cores != 0 || chips.ranks <= 1)
    throw InputError(
        fmt::format("{} ranks are not a torus of chips with {} cores each", request.ranks / slices, cores),
        "give another number of cores, or choose another algorithm");
  const std::vector<int> lengths = shape_of(chips, axes);
  if (lengths.empty())
    throw InputError(fmt::format("{} chips cannot be arranged along {} axes", chips.ranks, axes),
                     "give a shape");
  Grid grid{{cores}};
  for (std::size_t axis = 0; axis < lengths.size(); ++axis)
    grid.push_back({lengths[axis], is_line(request.options, axis)});
  grid.push_back({slices});
  return grid;
}

Rule along_axes(const Grid& grid) {
  const Digits digits(grid);
  Rule rule{};
  for (std::size_t axis = grid.size(); axis-- > 0;) {
    const bool line = grid[axis].line;
    rule = then(scatter(digits, axis, line), then(std::move(rule), gather(digits, axis, line)));
  }
  return rule;
}

}  // namespace wt::collective
