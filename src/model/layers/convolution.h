#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' Conv1D, Conv2D and Conv3D: cross-correlation of sequences [batch, time, channels], images [batch, height,
// width, channels] or volumes [batch, depth, height, width, channels] with a kernel [spatial axes..., channels /
// groups, filters], then the bias and the activation. Sizes have one number for each spatial axis.
struct ConvolutionConfig {
  std::string name{};
  std::int64_t filters = 0;
  Shape kernel_size{};
  Shape strides{};  // empty: 1 everywhere
  Padding padding = Padding::valid;
  bool is_causal =
      false;  // Conv1D: padding comes before the sequence, so that a step sees itself and earlier ones
  Shape dilation_rate{};  // empty: 1 everywhere
  std::int64_t groups = 1;
  std::string activation = "linear";
  bool use_bias = true;
  WeightRule kernel{glorot_uniform, {}, {}};
  WeightRule bias{};
  bool trainable = true;
};
using Conv2DConfig = ConvolutionConfig;
LayerPtr conv1d(ConvolutionConfig config);
LayerPtr conv2d(ConvolutionConfig config);
LayerPtr conv3d(ConvolutionConfig config);

// Keras' Conv1DTranspose, Conv2DTranspose and Conv3DTranspose: the gradient of a convolution with respect to its input, which is larger
// than its output if there are strides. The kernel is [spatial axes..., filters, channels].
struct TransposedConvolutionConfig {
  ConvolutionConfig base{};
  Shape output_padding{};  // empty: the size of the output follows from the strides
};
LayerPtr conv1d_transpose(TransposedConvolutionConfig config);
LayerPtr conv2d_transpose(TransposedConvolutionConfig config);
LayerPtr conv3d_transpose(TransposedConvolutionConfig config);

// Keras' DepthwiseConv1D and DepthwiseConv2D: each channel is convolved on its own, with `depth_multiplier` kernels,
// [spatial axes..., channels, depth_multiplier]. `base.kernel` is the depthwise kernel, and `base.filters` is unused.
//
// Keras' SeparableConv1D and SeparableConv2D: the same, and then a convolution of size 1 with `base.filters`.
struct DepthwiseConvolutionConfig {
  ConvolutionConfig base{};
  std::int64_t depth_multiplier = 1;
  WeightRule pointwise{glorot_uniform, {}, {}};  // separable only
};
LayerPtr depthwise_conv1d(DepthwiseConvolutionConfig config);
LayerPtr depthwise_conv2d(DepthwiseConvolutionConfig config);
LayerPtr separable_conv1d(DepthwiseConvolutionConfig config);
LayerPtr separable_conv2d(DepthwiseConvolutionConfig config);

}  // namespace wt::model
