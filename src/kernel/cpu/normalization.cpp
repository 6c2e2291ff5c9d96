#include "kernel/cpu/kernels.h"

#include <cmath>

#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/normalization.h"
#include "kernel/cpu/loops/softmax.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"

// Statistics over rows are computed in two phases. Each tile of rows writes its own numbers per channel to
// the workspace, in the type of the tensors. Then the tiles are combined in their order, in float64. The
// rounding error of a long sum is then that of the sum over one tile.

namespace wt::cpu {
namespace {

template <class T>
const loops::NormalizationOf<T>& normalization_loops() {
  return part_of<T>(WT_LOOPS(loops::normalization));
}

// x as rows of channels, and how the rows are cut into tiles.
struct Rows {
  explicit Rows(const Shape& x)
      : count(x.elements(0, x.rank() - 1)),
        width(x.last()),
        per_tile(std::max<std::int64_t>(least, rows_per_tile(width))),
        tiles(ceiling(count, per_tile)) {}

  std::int64_t begin(std::int64_t tile) const { return tile * per_tile; }
  std::int64_t size(std::int64_t tile) const { return std::min(per_tile, count - begin(tile)); }

  static constexpr std::int64_t least = 64;  // rows per tile, so that the partial results are small beside x
  std::int64_t count, width, per_tile, tiles;
};

// The layout of the workspace: `vectors` numbers per channel, and behind them two numbers per channel for
// each tile.
template <class T>
struct Partials {
  Partials(std::span<std::byte> workspace, const Rows& x, int vectors)
      : width(x.width),
        vector(reinterpret_cast<T*>(workspace.data())),
        first_tile(vector + vectors * x.width) {}

  T* of_channels(int index) const { return vector + index * width; }
  T* of_tile(std::int64_t tile, int which) const { return first_tile + (2 * tile + which) * width; }

  std::int64_t width;
  T* vector;
  T* first_tile;
};

Bytes partials_bytes(const TensorSpec& x, int vectors, bool with_tiles) {
  const Rows rows(x.shape);
  return Bytes((vectors + (with_tiles ? 2 * rows.tiles : 0)) * rows.width * bytes_per_element(x.type));
}

// Calls f(first, count) for blocks of channels, in parallel.
constexpr std::int64_t block = 64;
template <class F>
void run_channels(device::Workers& workers, std::int64_t width, F&& f) {
  workers.run(ceiling(width, block), [&](std::int64_t tile, std::span<std::byte>) {
    f(tile * block, std::min(block, width - tile * block));
  });
}

// Adds the tiles' sums in their order, for a block of channels. `which` is 0 or 1, the number of a tile that
// is added.
template <class T>
void add_tiles(const Partials<T>& partials, std::int64_t tiles, int which, std::int64_t first,
               std::int64_t count, double* sums) {
  std::fill_n(sums, count, 0.0);
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const T* values = partials.of_tile(tile, which) + first;
    for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]);
  }
}

// Combines the means and squared distances of the tiles to the mean and variance of all rows (Chan, Golub and
// LeVeque, 1979). Without any rows both are NaN, as in TensorFlow.
template <class T>
void combine_moments(const Rows& x, const Partials<T>& partials, std::int64_t first, std::int64_t count,
                     double* mean, double* variance) {
  const auto rows = static_cast<double>(x.count);
  std::fill_n(mean, count, 0.0);
  std::fill_n(variance, count, 0.0);
  for (std::int64_t tile = 0; tile < x.tiles; ++tile) {
    const T* means = partials.of_tile(tile, 0) + first;
    for (std::int64_t i = 0; i < count; ++i)
      mean[i] += static_cast<double>(means[i]) * static_cast<double>(x.size(tile));
  }
  for (std::int64_t i = 0; i < count; ++i) mean[i] /= rows;
  for (std::int64_t tile = 0; tile < x.tiles; ++tile) {
    const T* means = partials.of_tile(tile, 0) + first;
    const T* squares = partials.of_tile(tile, 1) + first;
    for (std::int64_t i = 0; i < count; ++i) {
      const double distance = static_cast<double>(means[i]) - mean[i];
      variance[i] +=
          static_cast<double>(squares[i]) + distance * distance * static_cast<double>(x.size(tile));
    }
  }
  for (std::int64_t i = 0; i < count; ++i) variance[i] /= rows;
}

// Computes the outputs per channel, and the scale and shift with which y is computed. All inputs of a channel
// are read before its outputs are written, since they may share memory. A replica without rows keeps its
// moving averages, as in Keras.
template <class T>
void finish_batch_norm(const Numbers& numbers, const Rows& x, const Partials<T>& partials, std::int64_t first,
                       std::int64_t count) {
  const auto& attributes = attributes_as<NormalizationAttributes>(numbers.attributes);
  const auto rows = static_cast<double>(x.count);
  const double correction = attributes.corrects_variance && x.count > 1 ? rows / (rows - 1) : 1.0;
  const T keep = static_cast<T>(attributes.momentum);
  const T take = static_cast<T>(1 - attributes.momentum);
  double mean[block];
  double variance[block];
  combine_moments(x, partials, first, count, mean, variance);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t c = first + i;
    const double inverse_deviation = 1 / std::sqrt(variance[i] + attributes.epsilon);
    const T gamma = numbers.inputs[1].as<T>()[c], beta = numbers.inputs[2].as<T>()[c];
    const T moving_mean = numbers.inputs[3].as<T>()[c], moving_variance = numbers.inputs[4].as<T>()[c];
    partials.of_channels(0)[c] = static_cast<T>(static_cast<double>(gamma) * inverse_deviation);
    partials.of_channels(1)[c] = beta;
    numbers.outputs[1].as<T>()[c] = static_cast<T>(mean[i]);
    numbers.outputs[2].as<T>()[c] = static_cast<T>(inverse_deviation);
    numbers.outputs[3].as<T>()[c] =
        x.count == 0 ? moving_mean : moving_mean * keep + static_cast<T>(mean[i]) * take;
    numbers.outputs[4].as<T>()[c] =
        x.count == 0 ? moving_variance
                     : moving_variance * keep + static_cast<T>(variance[i] * correction) * take;
  }
}

template <class T>
void batch_norm_of(const Numbers& numbers, device::Workers& workers) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Partials<T> partials(numbers.workspace, rows, 2);
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  const auto& loops = normalization_loops<T>();
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    loops.moments(x + rows.begin(tile) * rows.width, rows.size(tile), rows.width, partials.of_tile(tile, 0),
                  partials.of_tile(tile, 1));
  });
  run_channels(workers, rows.width, [&](std::int64_t first, std::int64_t count) {
    finish_batch_norm(numbers, rows, partials, first, count);
  });
  const T* mean = numbers.outputs[1].as<T>();
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t offset = rows.begin(tile) * rows.width;
    loops.apply(x + offset, y + offset, rows.size(tile), rows.width, mean, partials.of_channels(0),
                partials.of_channels(1));
  });
}

// dx = gamma s (dy - sum(dy) / n - (x - mean) s^2 sum(dy (x - mean)) / n), where s is the inverse deviation.
// This computes its three factors per channel. gamma is read before dbeta is written, which may be in the
// same memory. A replica without rows has gradients of 0.
template <class T>
void finish_batch_norm_gradient(const Numbers& numbers, const Rows& x, const Partials<T>& partials,
                                std::int64_t first, std::int64_t count) {
  double sums[block];
  double centered[block];
  add_tiles(partials, x.tiles, 0, first, count, sums);
  add_tiles(partials, x.tiles, 1, first, count, centered);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t c = first + i;
    const auto inverse_deviation = static_cast<double>(numbers.inputs[4].as<T>()[c]);
    const double scale = static_cast<double>(numbers.inputs[2].as<T>()[c]) * inverse_deviation;
    const double dgamma = x.count == 0 ? 0 : centered[i] * inverse_deviation;
    const auto rows = static_cast<double>(x.count);
    partials.of_channels(0)[c] = static_cast<T>(scale);
    partials.of_channels(1)[c] = static_cast<T>(-scale * dgamma * inverse_deviation / rows);
    partials.of_channels(2)[c] = static_cast<T>(-scale * sums[i] / rows);
    numbers.outputs[1].as<T>()[c] = static_cast<T>(dgamma);
    numbers.outputs[2].as<T>()[c] = static_cast<T>(sums[i]);
  }
}

template <class T>
void batch_norm_gradient_of(const Numbers& numbers, device::Workers& workers) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Partials<T> partials(numbers.workspace, rows, 3);
  const T* dy = numbers.inputs[0].as<T>();
  const T* x = numbers.inputs[1].as<T>();
  const T* mean = numbers.inputs[3].as<T>();
  T* dx = numbers.outputs[0].as<T>();
  const auto& loops = normalization_loops<T>();
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t offset = rows.begin(tile) * rows.width;
    loops.gradient_sums(dy + offset, x + offset, rows.size(tile), rows.width, mean, partials.of_tile(tile, 0),
                        partials.of_tile(tile, 1));
  });
  run_channels(workers, rows.width, [&](std::int64_t first, std::int64_t count) {
    finish_batch_norm_gradient(numbers, rows, partials, first, count);
  });
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t offset = rows.begin(tile) * rows.width;
    loops.gradient(dy + offset, x + offset, dx + offset, rows.size(tile), rows.width, mean,
                   partials.of_channels(0), partials.of_channels(1), partials.of_channels(2));
  });
}

template <class T>
void batch_norm_inference_of(const Numbers& numbers, device::Workers& workers) {
  const double epsilon = attributes_as<NormalizationAttributes>(numbers.attributes).epsilon;
  const Rows rows(numbers.inputs[0].spec.shape);
  const T *gamma = numbers.inputs[1].as<T>(), *beta = numbers.inputs[2].as<T>();
  const T *mean = numbers.inputs[3].as<T>(), *variance = numbers.inputs[4].as<T>();
  T* scale = reinterpret_cast<T*>(numbers.workspace.data());
  for (std::int64_t c = 0; c < rows.width; ++c)
    scale[c] =
        static_cast<T>(static_cast<double>(gamma[c]) / std::sqrt(static_cast<double>(variance[c]) + epsilon));
  const T* x = numbers.inputs[0].as<T>();
  T* y = numbers.outputs[0].as<T>();
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t offset = rows.begin(tile) * rows.width;
    normalization_loops<T>().apply(x + offset, y + offset, rows.size(tile), rows.width, mean, scale, beta);
  });
}

template <class T>
void layer_norm_of(const Numbers& numbers, device::Workers& workers) {
  const double epsilon = attributes_as<NormalizationAttributes>(numbers.attributes).epsilon;
  const Rows rows(numbers.inputs[0].spec.shape);
  const T* x = numbers.inputs[0].as<T>();
  const T *gamma = numbers.inputs[1].as<T>(), *beta = numbers.inputs[2].as<T>();
  T* y = numbers.outputs[0].as<T>();
  T *mean = numbers.outputs[1].as<T>(), *inverse_deviation = numbers.outputs[2].as<T>();
  const auto& loops = normalization_loops<T>();
  run_rows(workers, rows.count, rows.width, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t row = begin; row < begin + count; ++row) {
      T variance{};
      loops.row_moments(x + row * rows.width, rows.width, mean + row, &variance);
      inverse_deviation[row] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + epsilon));
      loops.apply_to_row(x + row * rows.width, y + row * rows.width, rows.width, mean[row],
                         inverse_deviation[row], gamma, beta);
    }
  });
}

template <class T>
void layer_norm_gradient_of(const Numbers& numbers, device::Workers& workers) {
  const Rows rows(numbers.inputs[0].spec.shape);
  const Partials<T> partials(numbers.workspace, rows, 0);
  const T *dy = numbers.inputs[0].as<T>(), *x = numbers.inputs[1].as<T>(), *gamma = numbers.inputs[2].as<T>();
  const T *mean = numbers.inputs[3].as<T>(), *inverse_deviation = numbers.inputs[4].as<T>();
  T* dx = numbers.outputs[0].as<T>();
  workers.run(rows.tiles, [&](std::int64_t tile, std::span<std::byte>) {
    T *dgamma = partials.of_tile(tile, 0), *dbeta = partials.of_tile(tile, 1);
    std::fill_n(dgamma, rows.width, T{});
    std::fill_n(dbeta, rows.width, T{});
    for (std::int64_t row = rows.begin(tile); row < rows.begin(tile) + rows.size(tile); ++row) {
      const std::int64_t offset = row * rows.width;
      normalization_loops<T>().row_gradient(dy + offset, x + offset, dx + offset, rows.width, mean[row],
                                            inverse_deviation[row], gamma, dgamma, dbeta);
    }
  });
  run_channels(workers, rows.width, [&](std::int64_t first, std::int64_t count) {
    double sums[block];
    for (int which : {0, 1}) {
      add_tiles(partials, rows.tiles, which, first, count, sums);
      T* result = numbers.outputs[which == 0 ? 1 : 2].as<T>() + first;
      for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<T>(sums[i]);
    }
  });
}

}  // namespace

void softmax(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const auto& loops = part_of<T>(WT_LOOPS(loops::softmax));
    const T* x = numbers.inputs[0].as<T>();
    T* y = numbers.outputs[0].as<T>();
    for_each_row(workers, numbers.inputs[0].spec.shape,
                 [&](std::int64_t, std::int64_t offset, std::int64_t width) {
                   T maximum{};
                   const T sum = loops.exponentials(x + offset, y + offset, width, &maximum);
                   loops.divide(y + offset, width, sum);
                 });
  });
}

void softmax_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const auto& loops = part_of<T>(WT_LOOPS(loops::softmax));
    const T *dy = numbers.inputs[0].as<T>(), *y = numbers.inputs[1].as<T>();
    T* dx = numbers.outputs[0].as<T>();
    for_each_row(workers, numbers.inputs[0].spec.shape,
                 [&](std::int64_t, std::int64_t offset, std::int64_t width) {
                   loops.gradient(dy + offset, y + offset, dx + offset, width);
                 });
  });
}

void batch_norm(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_of<decltype(zero)>(numbers, workers); });
}
void batch_norm_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_gradient_of<decltype(zero)>(numbers, workers); });
}
void batch_norm_inference(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { batch_norm_inference_of<decltype(zero)>(numbers, workers); });
}
void layer_norm(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { layer_norm_of<decltype(zero)>(numbers, workers); });
}
void layer_norm_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type,
                [&](auto zero) { layer_norm_gradient_of<decltype(zero)>(numbers, workers); });
}

Bytes batch_norm_workspace(const Call& call) { return partials_bytes(call.inputs[0], 2, true); }
Bytes batch_norm_gradient_workspace(const Call& call) { return partials_bytes(call.inputs[0], 3, true); }
Bytes batch_norm_inference_workspace(const Call& call) { return partials_bytes(call.inputs[0], 1, false); }
Bytes layer_norm_gradient_workspace(const Call& call) { return partials_bytes(call.inputs[0], 0, true); }

}  // namespace wt::cpu
