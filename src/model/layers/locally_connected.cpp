#include "model/layers/locally_connected.h"

#include <fmt/format.h>

#include "model/activation.h"
#include "model/layers/spatial.h"

namespace wt::model {

namespace {

class LocallyConnected final : public Layer {
 public:
  LocallyConnected(std::string_view class_name, int rank, ConvolutionConfig config)
      : Layer(config.name, config.trainable),
        config_(std::move(config)),
        class_name_(class_name),
        rank_(rank) {
    require_positive("filters", config_.filters);
    if (config_.padding != Padding::valid)
      refuse("it has the padding \"same\"", "set it to \"valid\": Keras' implementation 1 takes no other");
    while (config_.strides.rank() < rank_) config_.strides.append(1);
    if (config_.kernel_size.rank() != rank_ || config_.strides.rank() != rank_)
      refuse("a size has another number of axes", fmt::format("write one number, or {}", rank_));
  }
  std::string_view class_name() const override { return class_name_; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, rank_ + 2);
    const Type type = x.spec().type;
    const Shape places = places_of(x);
    const std::int64_t rows = x.shape()[0], count = places.elements();
    const std::int64_t width = config_.kernel_size.elements() * x.shape().last();
    const Symbol kernel =
        building.weight(name() + "/kernel", {type, {count, width, config_.filters}}, config_.kernel);
    // [places, rows, window] times [places, window, filters].
    const Symbol windows = transpose(wt::reshape(windows_of(x, places), {rows, count, width}), {1, 0, 2});
    Shape shape{rows}, bias_shape = places;
    for (const std::int64_t extent : places) shape.append(extent);
    shape.append(config_.filters);
    bias_shape.append(config_.filters);
    Symbol y = wt::reshape(transpose(matmul(windows, kernel), {1, 0, 2}), shape);
    if (config_.use_bias) y = y + building.weight(name() + "/bias", {type, bias_shape}, config_.bias);
    return {activate(y, config_.activation, building.semantics())};
  }

 private:
  Shape places_of(Symbol x) const {
    Shape places;
    for (int i = 0; i < rank_; ++i) {
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

  ConvolutionConfig config_;
  std::string_view class_name_;
  int rank_;
};

}  // namespace

LayerPtr locally_connected1d(ConvolutionConfig config) {
  return std::make_shared<LocallyConnected>("LocallyConnected1D", 1, std::move(config));
}
LayerPtr locally_connected2d(ConvolutionConfig config) {
  return std::make_shared<LocallyConnected>("LocallyConnected2D", 2, std::move(config));
}

}  // namespace wt::model
