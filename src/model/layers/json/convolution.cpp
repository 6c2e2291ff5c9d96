#include "model/layers/convolution.h"

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

ConvolutionConfig read_convolution_base(LayerReader& r, int rank, std::string_view kernel) {
  if (!r.has("kernel_size")) r.required<std::int64_t>("kernel_size");
  ConvolutionConfig config{.name = r.name(),
                           .kernel_size = r.sizes("kernel_size", rank),
                           .strides = r.sizes("strides", rank),
                           .dilation_rate = r.sizes("dilation_rate", rank),
                           .groups = r.maybe_extent("groups").value_or(1),
                           .activation = r.activation("activation"),
                           .use_bias = r.flag("use_bias", true),
                           .kernel = r.rule(kernel, glorot_uniform),
                           .bias = r.rule("bias", zeros),
                           .trainable = r.trainable()};
  const json::Value* padding = r.given("padding");
  config.is_causal = rank == 1 && padding != nullptr && padding->kind() == json::Kind::string &&
                     padding->string() == "causal";
  if (!config.is_causal) config.padding = r.padding();
  return config;
}

template <LayerPtr (*make)(ConvolutionConfig), int rank>
LayerPtr read_convolution(LayerReader& r) {
  ConvolutionConfig config = read_convolution_base(r, rank, "kernel");
  config.filters = r.extent("filters");
  return make(std::move(config));
}

template <LayerPtr (*make)(TransposedConvolutionConfig), int rank>
LayerPtr read_transposed(LayerReader& r) {
  TransposedConvolutionConfig config{read_convolution_base(r, rank, "kernel"),
                                     r.sizes("output_padding", rank, 0)};
  config.base.filters = r.extent("filters");
  return make(std::move(config));
}

// Of a depthwise convolution Keras 2 also writes the rules of a kernel that it does not have.
template <LayerPtr (*make)(DepthwiseConvolutionConfig), int rank, bool is_separable>
LayerPtr read_depthwise(LayerReader& r) {
  for (const auto* key : {"kernel_initializer", "kernel_regularizer", "kernel_constraint"}) r.value(key);
  DepthwiseConvolutionConfig config{.base = read_convolution_base(r, rank, "depthwise"),
                                    .depth_multiplier = r.maybe_extent("depth_multiplier").value_or(1)};
  if (is_separable) {
    config.pointwise = r.rule("pointwise", glorot_uniform);
    config.base.filters = r.extent("filters");
  } else {
    r.value("filters");
  }
  return make(std::move(config));
}

}  // namespace

std::span<const LayerClass> convolution_rows() {
  static constexpr LayerClass rows[] = {
      {"Conv1D", "convolution of sequences; strides, dilation, groups, causal padding",
       read_convolution<conv1d, 1>},
      {"Conv1DTranspose", "the transpose of a convolution of sequences",
       read_transposed<conv1d_transpose, 1>},
      {"Conv2D", "convolution of images, channels last; strides, dilation, groups",
       read_convolution<conv2d, 2>},
      {"Conv2DTranspose", "the transpose of a convolution of images", read_transposed<conv2d_transpose, 2>},
      {"Conv3D", "convolution of volumes, channels last; strides, dilation, groups",
       read_convolution<conv3d, 3>},
      {"DepthwiseConv1D", "convolution of each channel of a sequence",
       read_depthwise<depthwise_conv1d, 1, false>},
      {"DepthwiseConv2D", "convolution of each channel of an image",
       read_depthwise<depthwise_conv2d, 2, false>},
      {"SeparableConv1D", "convolution of each channel of a sequence, then across channels",
       read_depthwise<separable_conv1d, 1, true>},
      {"SeparableConv2D", "convolution of each channel of an image, then across channels",
       read_depthwise<separable_conv2d, 2, true>},
  };
  return rows;
}

}  // namespace wt::model
