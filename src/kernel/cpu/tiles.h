#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cpu/workers.h"
#include "kernel/cpu/nest.h"

namespace wt::cpu {

// The number of rows of this width in a tile, at least one. It follows from the size of the problem alone and
// never from the number of threads, because the tiles decide where sums are split.
constexpr std::int64_t rows_per_tile(std::int64_t width) {
  return std::max<std::int64_t>(1, tile_elements / std::max<std::int64_t>(1, width));
}

// Calls f(begin, count) for every tile of rows of this width.
template <class F>
void run_rows(device::Workers& workers, std::int64_t rows, std::int64_t width, F&& f) {
  const std::int64_t size = rows_per_tile(width);
  workers.run(ceiling(rows, size), [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t begin = tile * size;
    f(begin, std::min(size, rows - begin));
  });
}

// Calls f(row, offset of the row's first element, width) for every row along x's last axis. Does nothing if
// rows have no elements.
template <class F>
void for_each_row(device::Workers& workers, const Shape& x, F&& f) {
  const std::int64_t width = x.last();
  if (width == 0) return;
  run_rows(workers, x.elements(0, x.rank() - 1), width, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t row = begin; row < begin + count; ++row) f(row, row * width, width);
  });
}

}  // namespace wt::cpu
