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
      y = y + building.weight(name() + "/bias", {x.spec().type, bias_shape}, config_.bias);
    return {activate(y, config_.activation, building.semantics())};
  }

 private:
  // A matrix [axes of the input..., channels, axes of the result..., filters].
  class Matrix {
   public:
    Matrix(const LocallyConnected& layer, Symbol x, const Shape& places)
        : trace_(*x.trace), rank_(layer.rank_), window_(layer.config_.kernel_size) {
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

    // The number of each element among those that count, which are sorted by place, filter, row and channel.
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
    const std::int64_t rows = x.shape()[0], count = places.elements(), filters = config_.filters;
    const std::int64_t width = config_.kernel_size.elements() * x.shape().last();
    const Symbol windows = transpose(wt::reshape(windows_of(x, places), {rows, count, width}), {1, 0, 2});
    const Symbol kernel = layout_ == LocalKernel::windows
                              ? kernel_of(building, x, {count, width, filters})
                              : transpose(wt::reshape(kernel_of(building, x, {count * filters * width}),
                                                      {count, filters, width}),
                                          {0, 2, 1});
    return transpose(matmul(windows, kernel), {1, 0, 2});
  }

  // All of the input times a matrix that is 0 where a place doesn't meet it.
  Symbol by_matrix(Building& building, Symbol x, const Shape& places) const {
    const Matrix matrix{*this, x, places};
    const std::int64_t width = x.shape().elements() / x.shape()[0];
    const Symbol met = matrix.met();
    const Symbol kernel = layout_ == LocalKernel::dense ? kernel_of(building, x, matrix.shape())
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
