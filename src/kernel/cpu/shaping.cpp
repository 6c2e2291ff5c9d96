#include "kernel/cpu/kernels.h"

#include <algorithm>
#include <cstring>

#include "device/cpu/workers.h"
#include "kernel/cpu/nest.h"
#include "kernel/cpu/types.h"

namespace wt::cpu {

namespace {

constexpr std::int64_t tile_bytes = 64 * 1024;

// A block to copy. Strides are in elements, and the rows of the result are contiguous.
struct Copy {
  std::int64_t rows = 0, columns = 0;
  std::int64_t in_row = 0, in_column = 0;
  std::int64_t out_row = 0;
};

// Copies in squares, so that whole cache lines are read and written. Copied element by element, every line
// would be fetched many times, and where extents are powers of two the lines of a column evict each other.
// Measured on [2048,2048] in float32: squares of 16 or 32 move 2 GB/s, squares of 64 move 5 GB/s.
template <class T>
void copy_transposed(const T* in, T* out, const Copy& copy) {
  constexpr std::int64_t side = 64;
  T square[side][side];
  for (std::int64_t row = 0; row < copy.rows; row += side)
    for (std::int64_t column = 0; column < copy.columns; column += side) {
      const std::int64_t height = std::min(side, copy.rows - row),
                         width = std::min(side, copy.columns - column);
      for (std::int64_t j = 0; j < width; ++j)
        for (std::int64_t i = 0; i < height; ++i)
          square[i][j] = in[(row + i) * copy.in_row + (column + j) * copy.in_column];
      for (std::int64_t i = 0; i < height; ++i)
        std::copy_n(square[i], width, out + (row + i) * copy.out_row + column);
    }
}

template <class T>
void copy_block(const T* in, T* out, const Copy& copy) {
  if (copy.in_column > 1) return copy_transposed(in, out, copy);
  for (std::int64_t row = 0; row < copy.rows; ++row, in += copy.in_row, out += copy.out_row) {
    if (copy.in_column == 1) {
      std::copy_n(in, copy.columns, out);
    } else {
      std::fill_n(out, copy.columns, *in);
    }
  }
}

// Copies x to y. y is written contiguously and x is read by these strides, one for each axis of y.
void copy_by_strides(const Numbers& numbers, const Strides& strides, device::Workers& workers) {
  const View &x = numbers.inputs[0], &y = numbers.outputs[0];
  Nest nest(y.spec.shape, {dense_strides(y.spec.shape), strides});
  if (nest.column_stride(1) > 1) nest.cut(tile_elements, 128);  // a transposition needs square tiles
  with_type(x.spec.type, [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.as<T>();
    T* out = y.as<T>();
    workers.run(nest.tiles(), [&](std::int64_t tile, std::span<std::byte>) {
      nest.visit(tile, [&](const Nest::Run& run) {
        copy_block(in + run.offset[1], out + run.offset[0],
                   {run.rows, run.columns, nest.row_stride(1), nest.column_stride(1), nest.row_stride(0)});
      });
    });
  });
}

// The parts of a whole tensor are side by side in each of its rows. For each piece of a part within a tile,
// this calls copy(part, offset in the whole, offset in the part, size), with offsets and size in bytes.
template <class F>
void run_over_parts(const Numbers& numbers, const TensorSpec& whole, device::Workers& workers, F&& copy) {
  const auto& parts = attributes_as<PartsAttributes>(numbers.attributes);
  const std::int64_t unit =
      whole.shape.elements(parts.axis + 1, whole.shape.rank()) * bytes_per_element(whole.type);
  const std::int64_t width = whole.shape[parts.axis] * unit;
  const std::int64_t rows = whole.shape.elements(0, parts.axis);
  const std::int64_t tile_width = std::clamp<std::int64_t>(tile_bytes, 1, std::max<std::int64_t>(width, 1));
  const std::int64_t tile_rows = tile_bytes / tile_width;
  const std::int64_t tiles_across = ceiling(width, tile_width);

  workers.run(ceiling(rows, tile_rows) * tiles_across, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t begin = tile % tiles_across * tile_width, end = std::min(width, begin + tile_width);
    const std::int64_t first = tile / tiles_across * tile_rows, last = std::min(rows, first + tile_rows);
    std::int64_t start = 0;
    for (int part = 0; part < parts.sizes.rank(); ++part) {
      const std::int64_t size = parts.sizes[part] * unit;
      const std::int64_t from = std::max(begin, start), to = std::min(end, start + size);
      for (std::int64_t row = first; from < to && row < last; ++row)
        copy(static_cast<std::size_t>(part), row * width + from, row * size + from - start,
             static_cast<std::size_t>(to - from));
      start += size;
    }
  });
}

}  // namespace

void apply_transpose(const Numbers& numbers, device::Workers& workers) {
  const Shape& permutation = attributes_as<ShapeAttributes>(numbers.attributes).shape;
  const Strides dense = dense_strides(numbers.inputs[0].spec.shape);
  Strides strides{};
  for (int axis = 0; axis < permutation.rank(); ++axis)
    strides[static_cast<std::size_t>(axis)] = dense[static_cast<std::size_t>(permutation[axis])];
  copy_by_strides(numbers, strides, workers);
}

void apply_broadcast_to(const Numbers& numbers, device::Workers& workers) {
  copy_by_strides(numbers, broadcast_strides(numbers.inputs[0].spec.shape, numbers.outputs[0].spec.shape),
                  workers);
}

void apply_concat(const Numbers& numbers, device::Workers& workers) {
  std::byte* whole = numbers.outputs[0].data;
  run_over_parts(numbers, numbers.outputs[0].spec, workers,
                 [&](std::size_t part, std::int64_t to, std::int64_t from, std::size_t bytes) {
                   std::memcpy(whole + to, numbers.inputs[part].data + from, bytes);
                 });
}

void apply_split(const Numbers& numbers, device::Workers& workers) {
  const std::byte* whole = numbers.inputs[0].data;
  run_over_parts(numbers, numbers.inputs[0].spec, workers,
                 [&](std::size_t part, std::int64_t from, std::int64_t to, std::size_t bytes) {
                   std::memcpy(numbers.outputs[part].data + to, whole + from, bytes);
                 });
}

}  // namespace wt::cpu
