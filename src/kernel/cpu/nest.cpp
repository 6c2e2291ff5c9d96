#include "kernel/cpu/nest.h"

#include "base/error.h"

namespace wt::cpu {

Nest::Nest(const Shape& extents, std::initializer_list<Strides> operands) : operands_(operands.size()) {
  WT_EXPECT(operands.size() <= max_operands, "{} operands in one nest, which has at most {}", operands.size(),
            max_operands);
  const std::span<const Strides> strides(operands.begin(), operands.size());
  for (int axis = 0; axis < extents.rank(); ++axis)
    if (extents[axis] != 1) append(extents[axis], strides, static_cast<std::size_t>(axis));
  if (rank_ == 0) extents_[rank_++] = 1;
  for (std::size_t axis = 0; axis < last(); ++axis) rows_ *= extents_[axis];
  cut(tile_elements, tile_elements);
}

void Nest::append(std::int64_t extent, std::span<const Strides> operands, std::size_t axis) {
  bool merges = rank_ > 0;
  for (std::size_t operand = 0; operand < operands_; ++operand)
    merges = merges && strides_[operand][last()] == operands[operand][axis] * extent;
  if (merges) {
    extents_[last()] *= extent;
  } else {
    extents_[rank_++] = extent;
  }
  for (std::size_t operand = 0; operand < operands_; ++operand)
    strides_[operand][last()] = operands[operand][axis];
}

void Nest::cut(std::int64_t elements, std::int64_t columns) {
  tile_columns_ = std::clamp<std::int64_t>(columns, 1, std::max<std::int64_t>(this->columns(), 1));
  tile_rows_ = std::max<std::int64_t>(elements / tile_columns_, 1);
  row_tiles_ = ceiling(rows(), tile_rows_);
  column_tiles_ = ceiling(this->columns(), tile_columns_);
}

std::array<std::int64_t, Nest::max_operands> Nest::offsets(std::int64_t row, std::int64_t column) const {
  std::array<std::int64_t, max_operands> offset{};
  for (std::size_t operand = 0; operand < operands_; ++operand)
    offset[operand] = column * column_stride(operand);
  for (std::size_t axis = last(); axis-- > 0; row /= extents_[axis])
    for (std::size_t operand = 0; operand < operands_; ++operand)
      offset[operand] += row % extents_[axis] * strides_[operand][axis];
  return offset;
}

}  // namespace wt::cpu
