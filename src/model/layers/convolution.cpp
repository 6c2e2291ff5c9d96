#include "model/layers/convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/activation.h"
#include "model/layers/spatial.h"
#include "model/layers/written.h"

namespace wt::model {

namespace {

bool has_above_one(const Shape& extents) {
  return std::ranges::any_of(extents, [](std::int64_t extent) { return extent > 1; });
}

Shape joined(const Shape& extents, std::initializer_list<std::int64_t> further) {
  Shape all = extents;
  for (const std::int64_t extent : further) all.append(extent);
  return all;
}

// What all convolutions share: the class, the sizes of their windows, and what follows the products.
class ConvolutionBase : public Layer {
 public:
  ConvolutionBase(std::string_view class_name, int rank, ConvolutionConfig config)
      : Layer(config.name, config.trainable),
        config_(std::move(config)),
        class_name_(class_name),
        rank_(rank) {
    for (Shape* sizes : {&config_.kernel_size, &config_.strides, &config_.dilation_rate}) complete(*sizes);
    require_positive("groups", config_.groups);
    if (has_above_one(config_.strides) && has_above_one(config_.dilation_rate))
      refuse("it has strides and a dilation rate above 1",
             "set one of the two to 1: Keras refuses both at once");
  }
  std::string_view class_name() const override { return class_name_; }

 protected:
  Symbol convolved(Symbol x, Symbol kernel, std::int64_t groups) const {
    if (config_.is_causal)
      x = spatial::padded(x, 1, (config_.kernel_size[0] - 1) * config_.dilation_rate[0], 0);
    return spatial::convolve(x, kernel,
                             {.size = config_.kernel_size,
                              .strides = config_.strides,
                              .dilation = config_.dilation_rate,
                              .padding = config_.padding,
                              .groups = groups});
  }

  Symbol finished(Building& building, Symbol y) const {
    const TensorSpec spec{y.spec().type, {y.shape().last()}};
    if (config_.use_bias) y = bias_add(y, building.weight(name() + "/bias", spec, config_.bias));
    return activate(y, config_.activation, building.semantics());
  }

  Symbol checked(const std::vector<Symbol>& inputs) const { return only(inputs, rank_ + 2); }
  int rank() const { return rank_; }

  ConvolutionConfig config_;

 private:
  void complete(Shape& sizes) const {
    if (sizes.rank() == 0)
      for (int i = 0; i < rank_; ++i) sizes.append(1);
    if (sizes.rank() != rank_)
      refuse(fmt::format("a size has {} numbers", sizes.rank()),
             fmt::format("write one number, or {}", rank_));
  }

  std::string_view class_name_;
  int rank_;
};

class Convolution final : public ConvolutionBase, public WritesArguments {
 public:
  Convolution(std::string_view class_name, int rank, ConvolutionConfig config)
      : ConvolutionBase(class_name, rank, std::move(config)) {
    require_positive("filters", config_.filters);
  }
  void write_arguments(json::Writer& out) const override {
    out.member("filters", config_.filters);
    write_extents(out, "kernel_size", config_.kernel_size);
    if (has_above_one(config_.strides)) write_extents(out, "strides", config_.strides);
    if (config_.is_causal)
      out.member("padding", "causal");
    else
      write_padding(out, config_.padding);
    if (has_above_one(config_.dilation_rate)) write_extents(out, "dilation_rate", config_.dilation_rate);
    if (config_.groups > 1) out.member("groups", config_.groups);
    out.member("activation", config_.activation);
    if (!config_.use_bias) out.member("use_bias", false);
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = checked(inputs);
    const std::int64_t channels = x.shape().last();
    if (channels % config_.groups != 0 || config_.filters % config_.groups != 0)
      refuse(fmt::format("{} channels and {} filters don't divide into {} groups", channels, config_.filters,
                         config_.groups));
    const Shape shape = joined(config_.kernel_size, {channels / config_.groups, config_.filters});
    const Symbol kernel = building.weight(name() + "/kernel", {x.spec().type, shape}, config_.kernel);
    return {finished(building, convolved(x, kernel, config_.groups))};
  }
};

class TransposedConvolution final : public ConvolutionBase {
 public:
  TransposedConvolution(std::string_view class_name, int rank, TransposedConvolutionConfig config)
      : ConvolutionBase(class_name, rank, std::move(config.base)), output_padding_(config.output_padding) {
    require_positive("filters", config_.filters);
    for (int i = 0; i < output_padding_.rank(); ++i)
      if (output_padding_[i] >= config_.strides[i])
        refuse(fmt::format("output_padding {} is not less than the stride {}", output_padding_[i],
                           config_.strides[i]));
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = checked(inputs);
    const Shape shape = joined(config_.kernel_size, {config_.filters, x.shape().last()});
    const Symbol kernel = building.weight(name() + "/kernel", {x.spec().type, shape}, config_.kernel);
    return {finished(building, rank() == 1   ? transposed_sequence(x, kernel)
                               : rank() == 2 ? transposed(x, kernel, 0)
                                             : transposed_volume(x, kernel))};
  }

 private:
  // The extent of the output along a spatial axis (Keras' conv_utils.deconv_output_length).
  std::int64_t extent(std::int64_t given, int axis) const {
    const std::int64_t size = (config_.kernel_size[axis] - 1) * config_.dilation_rate[axis] + 1;
    const std::int64_t stride = config_.strides[axis];
    const bool is_same = config_.padding == Padding::same;
    if (output_padding_.rank() > 0)
      return (given - 1) * stride + size - (is_same ? 2 * (size / 2) : 0) + output_padding_[axis];
    return is_same ? given * stride : given * stride + std::max<std::int64_t>(size - stride, 0);
  }

  // Of images whose height is the spatial axis `height` of the layer.
  Symbol transposed(Symbol x, Symbol kernel, int height) const {
    const auto own = [&](const Shape& sizes) { return Shape{sizes[height], sizes[height + 1]}; };
    WindowAttributes window{.size = own(config_.kernel_size),
                            .strides = own(config_.strides),
                            .dilation = own(config_.dilation_rate),
                            .padding = config_.padding};
    window.input = {x.shape()[0], extent(x.shape()[1], height), extent(x.shape()[2], height + 1),
                    config_.filters};
    return conv2d_input_gradient(kernel, x, window);
  }

  // Every slice of the kernel spreads the images of x over the slices of the result that it reaches.
  Symbol transposed_volume(Symbol x, Symbol kernel) const {
    const Shape s = x.shape(), k = kernel.shape();
    const std::int64_t depth = s[1], stride = config_.strides[0], dilation = config_.dilation_rate[0];
    const std::int64_t reach = (k[0] - 1) * dilation + 1, whole = (depth - 1) * stride + reach;
    const std::int64_t result = extent(depth, 0);
    const Symbol images = wt::reshape(x, {s[0] * depth, s[2], s[3], s[4]});
    const std::vector<Symbol> of_kernel = spatial::slices(kernel, 0);
    std::optional<Symbol> sum;
    for (std::int64_t slice = 0; slice < k[0]; ++slice) {
      const Symbol own = wt::reshape(of_kernel[static_cast<std::size_t>(slice)], {k[1], k[2], k[3], k[4]});
      const Symbol y = transposed(images, own, 1);
      const Shape t = y.shape();
      const Symbol apart =
          spatial::padded(wt::reshape(y, {s[0], depth, 1, t[1], t[2], t[3]}), 2, 0, stride - 1);
      const Symbol spread =
          spatial::cropped(wt::reshape(apart, {s[0], depth * stride, t[1], t[2], t[3]}), 1, 0, stride - 1);
      const std::int64_t before = slice * dilation;
      const Symbol placed = spatial::padded(spread, 1, before, reach - 1 - before);
      sum = sum ? *sum + placed : placed;
    }
    // What the convolution of the result would pad is cut off, as many slices before as TensorFlow pads there.
    const std::int64_t padding = std::max<std::int64_t>(0, whole - result);
    const std::int64_t before = config_.padding == Padding::same ? padding / 2 : 0;
    const Symbol extended = spatial::padded(*sum, 1, 0, std::max<std::int64_t>(0, before + result - whole));
    return spatial::cropped(extended, 1, before, extended.shape()[1] - before - result);
  }

  Symbol transposed_sequence(Symbol x, Symbol kernel) const {
    const Shape s = x.shape(), k = kernel.shape();
    WindowAttributes window{.size = {1, config_.kernel_size[0]},
                            .strides = {1, config_.strides[0]},
                            .dilation = {1, config_.dilation_rate[0]},
                            .padding = config_.padding};
    const std::int64_t time = extent(s[1], 0);
    window.input = {s[0], 1, time, config_.filters};
    const Symbol y = conv2d_input_gradient(wt::reshape(kernel, {1, k[0], k[1], k[2]}),
                                           wt::reshape(x, {s[0], 1, s[1], s[2]}), window);
    return wt::reshape(y, {s[0], time, config_.filters});
  }

  Shape output_padding_;
};

class DepthwiseConvolution final : public ConvolutionBase {
 public:
  DepthwiseConvolution(std::string_view class_name, int rank, bool is_separable,
                       DepthwiseConvolutionConfig config)
      : ConvolutionBase(class_name, rank, std::move(config.base)),
        is_separable_(is_separable),
        multiplier_(config.depth_multiplier),
        pointwise_(std::move(config.pointwise)) {
    require_positive("depth_multiplier", multiplier_);
    if (is_separable_) require_positive("filters", config_.filters);
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = checked(inputs);
    const Type type = x.spec().type;
    const std::int64_t channels = x.shape().last(), deep = channels * multiplier_;
    const bool has_own_name =
        is_separable_ || is_on(Switch::depthwise_kernel_has_its_own_name, building.semantics());
    const Symbol kernel =
        building.weight(name() + (has_own_name ? "/depthwise_kernel" : "/kernel"),
                        {type, joined(config_.kernel_size, {channels, multiplier_})}, config_.kernel);
    Symbol y = convolved(x, wt::reshape(kernel, joined(config_.kernel_size, {1, deep})), channels);
    if (is_separable_) {
      Shape ones;
      for (int i = 0; i < rank(); ++i) ones.append(1);
      const Symbol pointwise = building.weight(name() + "/pointwise_kernel",
                                               {type, joined(ones, {deep, config_.filters})}, pointwise_);
      y = matmul(y, wt::reshape(pointwise, {deep, config_.filters}));
    }
    return {finished(building, y)};
  }

 private:
  bool is_separable_;
  std::int64_t multiplier_;
  WeightRule pointwise_;
};

}  // namespace

LayerPtr conv1d(ConvolutionConfig config) {
  return std::make_shared<Convolution>("Conv1D", 1, std::move(config));
}
LayerPtr conv2d(ConvolutionConfig config) {
  return std::make_shared<Convolution>("Conv2D", 2, std::move(config));
}
LayerPtr conv3d(ConvolutionConfig config) {
  return std::make_shared<Convolution>("Conv3D", 3, std::move(config));
}
LayerPtr conv1d_transpose(TransposedConvolutionConfig config) {
  return std::make_shared<TransposedConvolution>("Conv1DTranspose", 1, std::move(config));
}
LayerPtr conv2d_transpose(TransposedConvolutionConfig config) {
  return std::make_shared<TransposedConvolution>("Conv2DTranspose", 2, std::move(config));
}
LayerPtr conv3d_transpose(TransposedConvolutionConfig config) {
  return std::make_shared<TransposedConvolution>("Conv3DTranspose", 3, std::move(config));
}
LayerPtr depthwise_conv1d(DepthwiseConvolutionConfig config) {
  return std::make_shared<DepthwiseConvolution>("DepthwiseConv1D", 1, false, std::move(config));
}
LayerPtr depthwise_conv2d(DepthwiseConvolutionConfig config) {
  return std::make_shared<DepthwiseConvolution>("DepthwiseConv2D", 2, false, std::move(config));
}
LayerPtr separable_conv1d(DepthwiseConvolutionConfig config) {
  return std::make_shared<DepthwiseConvolution>("SeparableConv1D", 1, true, std::move(config));
}
LayerPtr separable_conv2d(DepthwiseConvolutionConfig config) {
  return std::make_shared<DepthwiseConvolution>("SeparableConv2D", 2, true, std::move(config));
}

}  // namespace wt::model
