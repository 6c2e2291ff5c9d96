#include "model/layers/convolution.h"

#include <fmt/format.h>

#include "model/layers/conv_lstm.h"
#include "model/layers/json/rows.h"
#include "model/layers/locally_connected.h"

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

// The places of a kernel's numbers differ from one of Keras' implementations to the other.
template <LayerPtr (*make)(LocallyConnectedConfig), int rank>
LayerPtr read_locally_connected(LayerReader& r) {
  const auto implementation = r.optional<std::int64_t>("implementation", 1, {.at_least = 1, .at_most = 3});
  LocallyConnectedConfig config{read_convolution_base(r, rank, "kernel"),
                                static_cast<LocalKernel>(implementation - 1)};
  config.base.filters = r.extent("filters");
  return make(std::move(config));
}

template <LayerPtr (*make)(ConvLstmConfig), int rank>
LayerPtr read_conv_lstm(LayerReader& r) {
  r.not_offered("stateful", "set it to false, or pass the states as initial states");
  r.not_offered("time_major", "set it to false");
  r.not_offered("zero_output_for_mask", "set it to false");
  for (const auto* key : {"unroll", "implementation"}) r.value(key);
  // Both versions of Keras write the activations. Where a user leaves them out, they are those of Keras 3.
  ConvLstmConfig config{.base = read_convolution_base(r, rank, "kernel"),
                        .recurrent_activation = r.activation_name("recurrent_activation", "sigmoid"),
                        .recurrent_kernel = r.rule("recurrent", orthogonal),
                        .unit_forget_bias = r.flag("unit_forget_bias", true),
                        .return_sequences = r.flag("return_sequences", false),
                        .return_state = r.flag("return_state", false),
                        .go_backwards = r.flag("go_backwards", false),
                        .dropout = r.number("dropout", 0),
                        .recurrent_dropout = r.number("recurrent_dropout", 0),
                        .seed = r.seed()};
  if (!r.has("activation")) config.base.activation = "tanh";
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
      {"ConvLSTM1D", "an LSTM of sequences of sequences, by convolutions", read_conv_lstm<conv_lstm1d, 1>},
      {"ConvLSTM2D", "an LSTM of sequences of images, by convolutions", read_conv_lstm<conv_lstm2d, 2>},
      {"ConvLSTM3D", "an LSTM of sequences of volumes, by convolutions", read_conv_lstm<conv_lstm3d, 3>},
      {"Conv1D", "convolution of sequences; strides, dilation, groups, causal padding",
       read_convolution<conv1d, 1>},
      {"Conv1DTranspose", "the transpose of a convolution of sequences",
       read_transposed<conv1d_transpose, 1>},
      {"Conv2D", "convolution of images, channels last; strides, dilation, groups",
       read_convolution<conv2d, 2>},
      {"Conv2DTranspose", "the transpose of a convolution of images", read_transposed<conv2d_transpose, 2>},
      {"Conv3DTranspose", "the transpose of a convolution of volumes", read_transposed<conv3d_transpose, 3>},
      {"Conv3D", "convolution of volumes, channels last; strides, dilation, groups",
       read_convolution<conv3d, 3>},
      {"DepthwiseConv1D", "convolution of each channel of a sequence",
       read_depthwise<depthwise_conv1d, 1, false>},
      {"DepthwiseConv2D", "convolution of each channel of an image",
       read_depthwise<depthwise_conv2d, 2, false>},
      {"LocallyConnected1D", "a convolution of sequences whose kernel differs from place to place",
       read_locally_connected<locally_connected1d, 1>},
      {"LocallyConnected2D", "a convolution of images whose kernel differs from place to place",
       read_locally_connected<locally_connected2d, 2>},
      {"SeparableConv1D", "convolution of each channel of a sequence, then across channels",
       read_depthwise<separable_conv1d, 1, true>},
      {"SeparableConv2D", "convolution of each channel of an image, then across channels",
       read_depthwise<separable_conv2d, 2, true>},
  };
  return rows;
}

}  // namespace wt::model
