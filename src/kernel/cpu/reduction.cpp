#include "kernel/cpu/kernels.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "device/cpu/workers.h"
#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/reduction.h"
#include "kernel/cpu/nest.h"
#include "kernel/cpu/types.h"

namespace wt::cpu {

namespace {

template <class T>
const auto& reduction_loops() {
  const loops::Reduction& loops = WT_LOOPS(loops::reduction);
  if constexpr (std::is_same_v<T, float>) {
    return loops.float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return loops.float64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return loops.int32;
  } else {
    return loops.int64;
  }
}

// Some axes of a tensor, whose elements are numbered as if they were one axis.
class Axes {
 public:
  void append(std::int64_t extent, std::int64_t stride) {
    extents_.append(extent);
    strides_.append(stride);
    count_ *= extent;
  }
  std::int64_t count() const { return count_; }
  // Extent and stride of the last of the axes. From an index that is a multiple of `regular`, so many
  // elements follow each other at this stride.
  std::int64_t regular() const { return extents_.rank() > 0 ? extents_.last() : 1; }
  std::int64_t stride() const { return strides_.rank() > 0 ? strides_.last() : 0; }
  std::int64_t offset(std::int64_t index) const {
    std::int64_t offset = 0;
    for (int axis = extents_.rank() - 1; axis >= 0; index /= extents_[axis--])
      offset += index % extents_[axis] * strides_[axis];
    return offset;
  }

 private:
  Shape extents_{}, strides_{};
  std::int64_t count_ = 1;
};

constexpr std::int64_t widest_band = 512;   // columns that one tile reduces side by side
constexpr std::int64_t most_partials = 64;  // the most tiles of a reduction that is summed in pieces

// How a reduction is cut into tiles. It follows from shapes alone. Neighbouring axes that are both reduced or
// both kept are merged. If the last axis is reduced, a result is the sum of rows along it. If it is kept, a
// row of results is a sum of rows, computed in bands of columns. Where there are few results, each is summed
// in pieces, whose partial sums are added in order afterwards.
struct Cut {
  Axes kept{}, reduced{};  // without the last axis
  std::int64_t last = 1;
  bool last_is_reduced = true;

  std::int64_t band = 1, bands = 1;
  std::int64_t tile_kept = 1, kept_tiles = 1;
  std::int64_t length = 0, pieces = 1;  // the terms that are cut into pieces: elements or, in bands, rows

  Cut(const Shape& shape, const Shape& axes);
  std::int64_t results() const { return kept.count() * (last_is_reduced ? 1 : last); }
  std::int64_t per_result() const { return reduced.count() * (last_is_reduced ? last : 1); }
  std::int64_t tiles() const { return kept_tiles * bands * pieces; }
};

Cut::Cut(const Shape& shape, const Shape& axes) {
  struct Group {
    std::int64_t extent, stride;
    bool is_reduced;
  };
  std::array<Group, Shape::max_rank> groups{};
  std::size_t count = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (count > 0 && groups[count - 1].is_reduced == is_reduced) {
      groups[count - 1].extent *= shape[axis];
    } else {
      groups[count++] = {shape[axis], shape.elements(axis + 1, shape.rank()), is_reduced};
    }
  }
  if (count > 0) {
    last = groups[0].extent;
    last_is_reduced = groups[0].is_reduced;
  }
  for (std::size_t group = count; group-- > 1;)
    (groups[group].is_reduced ? reduced : kept).append(groups[group].extent, groups[group].stride);

  band = last_is_reduced ? 1 : std::clamp<std::int64_t>(last, 1, widest_band);
  bands = last_is_reduced ? 1 : ceiling(last, band);
  const std::int64_t elements =
      std::max<std::int64_t>(per_result() * band, 1);  // of x, for one result or one band of results
  tile_kept = std::max<std::int64_t>(tile_elements / elements, 1);
  kept_tiles = ceiling(kept.count(), tile_kept);
  length = last_is_reduced ? per_result() : reduced.count();
  const std::int64_t most =
      std::max<std::int64_t>(most_partials / std::max<std::int64_t>(kept_tiles * bands, 1), 1);
  pieces = std::clamp<std::int64_t>(elements / (2 * tile_elements), 1,
                                    std::min(most, std::max<std::int64_t>(length, 1)));
}

// Reduces the terms [begin, end) of one result or one band of results. `x` is the first of their elements,
// and `all` receives the accumulators.
template <class T, class A>
void reduce_piece(const Cut& cut, const loops::Reducer<T, A>& reducer, const T* x, std::int64_t begin,
                  std::int64_t end, std::int64_t columns, A* all) {
  std::fill_n(all, columns, reducer.start);
  while (begin < end) {
    if (cut.last_is_reduced) {
      const std::int64_t column = begin % cut.last;
      const std::int64_t count = std::min(end - begin, cut.last - column);
      all[0] =
          reducer.combine(all[0], reducer.of_row(x + cut.reduced.offset(begin / cut.last) + column, count));
      begin += count;
    } else {
      const std::int64_t regular = cut.reduced.regular();
      const std::int64_t rows = std::min(end - begin, regular - begin % regular);
      reducer.of_rows(x + cut.reduced.offset(begin), rows, cut.reduced.stride(), columns, all);
      begin += rows;
    }
  }
}

// Reduces x to y. finish(accumulator) makes a result of an accumulator.
template <class T, class A, class Finish>
void reduce(const Numbers& numbers, device::Workers& workers, const loops::Reducer<T, A>& reducer,
            Finish&& finish) {
  const Cut cut(numbers.inputs[0].spec.shape, attributes_as<AxesAttributes>(numbers.attributes).axes);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  A* partials = reinterpret_cast<A*>(numbers.workspace.data());

  workers.run(cut.tiles(), [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t piece = tile % cut.pieces;
    const std::int64_t column = tile / cut.pieces % cut.bands * cut.band;
    const std::int64_t first = tile / cut.pieces / cut.bands * cut.tile_kept;
    const std::int64_t columns = cut.last_is_reduced ? 1 : std::min(cut.band, cut.last - column);
    const std::int64_t width = cut.last_is_reduced ? 1 : cut.last;
    std::array<A, widest_band> all;
    for (std::int64_t kept = first; kept < std::min(first + cut.tile_kept, cut.kept.count()); ++kept) {
      reduce_piece(cut, reducer, x + cut.kept.offset(kept) + column, cut.length * piece / cut.pieces,
                   cut.length * (piece + 1) / cut.pieces, columns, all.data());
      const std::int64_t result = kept * width + column;
      if (cut.pieces > 1) {
        std::copy_n(all.data(), columns, partials + piece * cut.results() + result);
      } else {
        std::transform(all.data(), all.data() + columns, y + result, finish);
      }
    }
  });
  if (cut.pieces == 1) return;

  for (std::int64_t result = 0; result < cut.results(); ++result) {
    A all = partials[result];
    for (std::int64_t piece = 1; piece < cut.pieces; ++piece)
      all = reducer.combine(all, partials[piece * cut.results() + result]);
    y[result] = finish(all);
  }
}

}  // namespace

Bytes reduction_workspace(const Call& call) {
  const Cut cut(call.inputs[0].shape, attributes_as<AxesAttributes>(call.attributes).axes);
  return cut.pieces > 1 ? Bytes(cut.pieces * cut.results() * 8) : Bytes(0);
}

void apply_reduce_sum(const Numbers& numbers, device::Workers& workers) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    reduce(numbers, workers, reduction_loops<T>().sum, [](auto sum) { return static_cast<T>(sum); });
  });
}

// As in TensorFlow, the sum is divided once at the end.
void apply_reduce_mean(const Numbers& numbers, device::Workers& workers) {
  const Cut cut(numbers.inputs[0].spec.shape, attributes_as<AxesAttributes>(numbers.attributes).axes);
  const auto count = static_cast<double>(cut.per_result());
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    reduce(numbers, workers, reduction_loops<T>().sum,
           [&](double sum) { return static_cast<T>(sum / count); });
  });
}

void apply_reduce_max(const Numbers& numbers, device::Workers& workers) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    reduce(numbers, workers, reduction_loops<T>().maximum, [](T largest) { return largest; });
  });
}

void apply_argmax(const Numbers& numbers, device::Workers& workers) {
  const View& x = numbers.inputs[0];
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  const std::int64_t rows = numbers.outputs[0].spec.elements();
  const std::int64_t columns = x.spec.shape.last();
  const std::int64_t tile_rows = std::max<std::int64_t>(tile_elements / columns, 1);
  with_number(x.spec.type, [&](auto zero) {
    using T = decltype(zero);
    const T* data = x.as<T>();
    const auto loop = reduction_loops<T>().argmax;
    workers.run(ceiling(rows, tile_rows), [&](std::int64_t tile, std::span<std::byte>) {
      const std::int64_t end = std::min(rows, (tile + 1) * tile_rows);
      for (std::int64_t row = tile * tile_rows; row < end; ++row)
        y[row] = loop(data + row * columns, columns);
    });
  });
}

}  // namespace wt::cpu
