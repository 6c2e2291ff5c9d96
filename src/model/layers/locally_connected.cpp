#include "model/layers/locally_connected.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/activation.h"
#include "model/constants.h"
#include "model/layers/spatial.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// One spatial axis: of the rows of the input that each place meets the first one, their number, and the numbers of all
// places before.
struct Reach {
  std::vector<double> begin{}, count{}, before{};
  double all = 0;
};

Reach reach_of(std::int64_t rows, std::int64_t places, std::int64_t window, std::int64_t stride,
               std::int64_t shift) {
  Reach reach;
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t first = place * stride - shift, begin = std::max<std::int64_t>(first, 0);
    const std::int64_t count = std::max<std::int64_t>(std::min(first + window, rows) - begin, 0);
    reach.begin.push_back(static_cast<double>(begin));
    reach.count.push_back(static_cast<double>(count));
    reach.before.push_back(reach.all);
    reach.all += static_cast<double>(count);
  }
  return reach;
}

class LocallyConnected final : public Layer {
 public:
  LocallyConnected(std::string_view class_name, int rank, LocallyConnectedConfig config)
      : Layer(config.base.name, config.base.trainable),
        config_(std::move(config.base)),
        layout_(config.kernel),
        class_name_(class_name),
        rank_(rank) {
    require_positive("filters", config_.filters);
    if (config_.padding != Padding::valid && layout_ == LocalKernel::windows)
      refuse("it has the padding \"same\"",
             "set it to \"valid\": Keras' implementation 1 takes no other, but 2 and 3 do");
    while (config_.strides.rank() < rank_) config_.strides.append(1);
    if (config_.kernel_size.rank() != rank_ || config_.strides.rank() != rank_)
      refuse("a size has another number of axes", fmt::format("write one number, or {}", rank_));
  }
  std::string_view class_name() const override { return class_name_; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, rank_ + 2);
    const Shape places = places_of(x);
    const bool is_by_window =
        layout_ == LocalKernel::windows || (layout_ == LocalKernel::sparse && is_whole());
    Symbol y = is_by_window ? by_window(building, x, places) : by_matrix(building, x, places);
    Shape shape{x.shape()[0]}, bias_shape = places;
    for (const std::int64_t extent : places) shape.append(extent);
    shape.append(config_.filters);
    bias_shape.append(config_.filters);
    y = wt::reshape(y, shape);
    if (config_.use_bias)
      y = y + filters_last(building.weight(name() + "/bias", {x.spec().type, bias_shape}, config_.bias));
    return {activate(y, config_.activation, building.semantics())};
  }

 private:
  Symbol filters_last(Symbol bias) const {
    if (!has_channels_first()) return bias;
    Shape first{bias.shape().last()};
    for (int i = 0; i < rank_; ++i) first.append(bias.shape()[i]);
    return transpose(wt::reshape(bias, first), first_axis_moved(0, rank_, 0));
  }

  // The order of axes in which the first of a group of axes comes behind the others: those from `begin` on, of which
  // `rest` are others, among so many in front and behind.
  static Shape first_axis_moved(int begin, int rest, int behind) {
    Shape order;
    for (int i = 0; i < begin; ++i) order.append(i);
    for (int i = 1; i <= rest; ++i) order.append(begin + i);
    order.append(begin);
    for (int i = 1; i <= behind; ++i) order.append(begin + rest + i);
    return order;
  }

  // A matrix [axes of the input..., channels, axes of the result..., filters].
  class Matrix {
   public:
    Matrix(const LocallyConnected& layer, Symbol x, const Shape& places)
        : trace_(*x.trace),
          rank_(layer.rank_),
          window_(layer.config_.kernel_size),
          is_channels_first_(layer.has_channels_first()) {
      for (int i = 1; i < x.shape().rank(); ++i) shape_.append(x.shape()[i]);
      for (const std::int64_t extent : places) shape_.append(extent);
      shape_.append(layer.config_.filters);
      for (int i = 0; i < rank_; ++i)
        reaches_.push_back(reach_of(shape_[i], places[i], window_[i], layer.config_.strides[i],
                                    layer.is_whole() ? 0 : window_[i] / 2));
    }
    const Shape& shape() const { return shape_; }

    // How many of its elements count.
    double numbers() const {
      double count = static_cast<double>(shape_[rank_] * shape_.last());
      for (const Reach& reach : reaches_) count *= reach.all;
      return count;
    }

    // 1 where a place meets a row of the input.
    Symbol met() const {
      std::optional<Symbol> all;
      for (int i = 0; i < rank_; ++i) {
        const Reach& reach = reaches_[static_cast<std::size_t>(i)];
        const Symbol row = counted(i) - of_places(i, reach.begin);
        const Symbol inside = cast(less(row, of_places(i, reach.count)), Type::float32) *
                              cast(negated(less(row, number_like(row, 0))), Type::float32);
        all = all ? *all * inside : inside;
      }
      return *all;
    }

    // The number of each element among those that count, which are sorted by place, filter, row and channel, or with
    // channels first by filter, place, channel and row.
    Symbol order() const {
      std::optional<Symbol> size, before, row;  // of the window; in all windows before; in the window
      double later = 1;                         // what the windows meet along the later axes, in all
      for (const Reach& reach : reaches_) later *= reach.all;
      for (int i = 0; i < rank_; ++i) {
        const Reach& reach = reaches_[static_cast<std::size_t>(i)];
        later /= reach.all;
        const Symbol count = of_places(i, reach.count), skipped = of_places(i, reach.before) * later;
        const Symbol own = counted(i) - of_places(i, reach.begin);
        before = before ? *before + skipped * *size : skipped;
        row = row ? *row * count + own : own;
        size = size ? *size * count : count;
      }
      const double filters = static_cast<double>(shape_.last());
      if (is_channels_first_) {
        const auto channels = static_cast<double>(shape_[rank_]);
        const Symbol of_filter = counted(shape_.rank() - 1) * (numbers() / filters);
        return of_filter + *before * channels + *size * counted(rank_) + *row;
      }
      const Symbol among_rows = *before * filters + *size * counted(shape_.rank() - 1) + *row;
      return among_rows * static_cast<double>(shape_[rank_]) + counted(rank_);
    }

   private:
    // Numbers along one axis of the matrix.
    Symbol along(int axis, Symbol numbers) const {
      Shape shape;
      for (int i = 0; i < shape_.rank(); ++i) shape.append(i == axis ? shape_[i] : 1);
      return wt::reshape(numbers, shape);
    }
    Symbol counted(int axis) const { return along(axis, range(trace_, {Type::float32, {shape_[axis]}}, 1)); }
    Symbol of_places(int axis, const std::vector<double>& numbers) const {
      return along(rank_ + 1 + axis, constants(trace_, numbers));
    }

    Trace& trace_;
    int rank_;
    Shape window_;
    bool is_channels_first_;
    Shape shape_{};
    std::vector<Reach> reaches_{};
  };

  // Whether no window is cut at an edge.
  bool is_whole() const { return config_.padding == Padding::valid; }

  Symbol kernel_of(Building& building, Symbol x, const Shape& shape) const {
    return building.weight(name() + "/kernel", {x.spec().type, shape}, config_.kernel);
  }

  // [places, rows, window] times [places, window, filters].
  Symbol by_window(Building& building, Symbol x, const Shape& places) const {
    const std::int64_t rows = x.shape()[0], count = places.elements();
    const std::int64_t width = config_.kernel_size.elements() * x.shape().last();
    const Symbol windows = transpose(wt::reshape(windows_of(x, places), {rows, count, width}), {1, 0, 2});
    return transpose(matmul(windows, kernel_of_windows(building, x, count)), {1, 0, 2});
  }

  // [places, window, filters], where a window has its channels last.
  Symbol kernel_of_windows(Building& building, Symbol x, std::int64_t count) const {
    const std::int64_t size = config_.kernel_size.elements(), channels = x.shape().last(),
                       width = size * channels, filters = config_.filters;
    const bool is_sparse = layout_ == LocalKernel::sparse;
    const Symbol kernel =
        kernel_of(building, x, is_sparse ? Shape{count * filters * width} : Shape{count, width, filters});
    if (!has_channels_first())
      return is_sparse ? transpose(wt::reshape(kernel, {count, filters, width}), {0, 2, 1}) : kernel;
    const Symbol apart = is_sparse
                             ? transpose(wt::reshape(kernel, {filters, count, channels, size}), {1, 3, 2, 0})
                             : transpose(wt::reshape(kernel, {count, channels, size, filters}), {0, 2, 1, 3});
    return wt::reshape(apart, {count, width, filters});
  }

  // The matrix that is a weight.
  Symbol dense_kernel(Building& building, Symbol x, const Shape& shape) const {
    if (!has_channels_first()) return kernel_of(building, x, shape);
    Shape given{shape[rank_]};
    for (int i = 0; i < rank_; ++i) given.append(shape[i]);
    given.append(shape.last());
    for (int i = 0; i < rank_; ++i) given.append(shape[rank_ + 1 + i]);
    const Symbol channels_moved =
        transpose(kernel_of(building, x, given), first_axis_moved(0, rank_, rank_ + 1));
    return transpose(channels_moved, first_axis_moved(rank_ + 1, rank_, 0));
  }

  // All of the input times a matrix that is 0 where a place doesn't meet it.
  Symbol by_matrix(Building& building, Symbol x, const Shape& places) const {
    const Matrix matrix{*this, x, places};
    const std::int64_t width = x.shape().elements() / x.shape()[0];
    const Symbol met = matrix.met();
    const Symbol kernel = layout_ == LocalKernel::dense ? dense_kernel(building, x, matrix.shape())
                                                        : scattered(building, x, matrix, met);
    return matmul(wt::reshape(x, {x.shape()[0], width}),
                  wt::reshape(kernel * met, {width, places.elements() * config_.filters}));
  }

  // A kernel of the numbers that count, each at its place in the matrix.
  Symbol scattered(Building& building, Symbol x, const Matrix& matrix, Symbol met) const {
    const double count = matrix.numbers();
    if (count >= most_numbers)
      refuse(fmt::format("its kernel has {} numbers", count),
             "choose implementation 2, or the padding \"valid\"");
    const auto rows = static_cast<std::int64_t>(count);
    const Symbol numbers = wt::reshape(kernel_of(building, x, {rows}), {rows, 1});
    const Symbol at = cast(matrix.order() * met, Type::int32);
    return wt::reshape(wt::embedding(at, numbers), matrix.shape());
  }

  Shape places_of(Symbol x) const {
    Shape places;
    for (int i = 0; i < rank_; ++i) {
      if (!is_whole()) {
        places.append((x.shape()[i + 1] + config_.strides[i] - 1) / config_.strides[i]);
        continue;
      }
      const std::int64_t room = x.shape()[i + 1] - config_.kernel_size[i];
      if (room < 0)
        refuse(fmt::format("a window of {} doesn't fit into axis {} of {}", config_.kernel_size[i], i + 1,
                           print(x.spec())),
               "make the window smaller");
      places.append(room / config_.strides[i] + 1);
    }
    return places;
  }

  // For every place the elements of its window: the spatial axes of the kernel, then the channels.
  Symbol windows_of(Symbol x, const Shape& places) const {
    std::vector<Symbol> all;
    for (std::int64_t offset = 0; offset < config_.kernel_size.elements(); ++offset) {
      Symbol met = x;
      std::int64_t left = offset;
      for (int i = rank_ - 1; i >= 0; --i) {
        met = spatial::strided(met, i + 1, left % config_.kernel_size[i], places[i], config_.strides[i]);
        left /= config_.kernel_size[i];
      }
      all.push_back(met);
    }
    return all.size() == 1 ? all.front() : concat(all, rank_ + 1);
  }

  static constexpr std::int64_t most_numbers = 1 << 24;  // float32 counts to here

  ConvolutionConfig config_;
  LocalKernel layout_;
  std::string_view class_name_;
  int rank_;
};

}  // namespace

LayerPtr locally_connected1d(LocallyConnectedConfig config) {
  return std::make_shared<LocallyConnected>("LocallyConnected1D", 1, std::move(config));
}
LayerPtr locally_connected2d(LocallyConnectedConfig config) {
  return std::make_shared<LocallyConnected>("LocallyConnected2D", 2, std::move(config));
}

}  // namespace wt::model
