#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernel/strides.h"

namespace wt::cpu {

// Nested loops over several operands that share extents and have strides of their own, as broadcasting needs.
// Neighbouring axes that every operand crosses with one stride are merged, so most calls end with one or two
// axes. The last axis is called columns and all others together rows. [4,1,5] + [5], for example, becomes 4
// rows of 5 columns, where the second operand has the row stride 0.
class Nest {
 public:
  static constexpr int max_operands = 4;

  Nest(const Shape& extents, std::initializer_list<Strides> operands);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return extents_[last()]; }
  std::int64_t row_stride(std::size_t operand) const { return rank_ > 1 ? strides_[operand][last() - 1] : 0; }
  std::int64_t column_stride(std::size_t operand) const { return strides_[operand][last()]; }

  // Cuts the rows and columns into tiles of about `elements` elements, as wide as possible but not wider than
  // `columns`. The constructor has cut them into tiles of tile_elements.
  void cut(std::int64_t elements, std::int64_t columns);
  std::int64_t tiles() const { return row_tiles_ * column_tiles_; }

  // A block of a tile. In each operand it begins at `offset`, and its rows are row_stride apart.
  struct Run {
    std::array<std::int64_t, max_operands> offset{};
    std::int64_t rows = 0;
    std::int64_t columns = 0;
  };
  // Calls f(run) for the blocks of a tile. Several are needed where the rows are more than one axis.
  template <class F>
  void visit(std::int64_t tile, F&& f) const {
    const std::int64_t begin = tile / column_tiles_ * tile_rows_;
    const std::int64_t end = std::min(rows(), begin + tile_rows_);
    const std::int64_t column = tile % column_tiles_ * tile_columns_;
    const std::int64_t width = std::min(columns() - column, tile_columns_);
    const std::int64_t regular = rank_ > 1 ? extents_[last() - 1] : 1;
    for (std::int64_t row = begin; row < end;) {
      const std::int64_t count = std::min(end - row, regular - row % regular);
      f(Run{offsets(row, column), count, width});
      row += count;
    }
  }

 private:
  std::size_t last() const { return rank_ - 1; }
  void append(std::int64_t extent, std::span<const Strides> operands, std::size_t axis);
  std::array<std::int64_t, max_operands> offsets(std::int64_t row, std::int64_t column) const;

  std::size_t rank_ = 0;  // at least 1 once built
  std::size_t operands_ = 0;
  std::array<std::int64_t, Shape::max_rank> extents_{};
  std::array<Strides, max_operands> strides_{};
  std::int64_t rows_ = 1;
  std::int64_t tile_rows_ = 1, tile_columns_ = 1;
  std::int64_t row_tiles_ = 0, column_tiles_ = 0;
};

// The size of a tile of an elementwise kernel: it is small enough for a core's caches and takes long enough
// to be worth starting on another thread.
constexpr std::int64_t tile_elements = 16 * 1024;

}  // namespace wt::cpu
