#include "model/layers/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/activation.h"
#include "model/layers/attention.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/embedding.h"
#include "model/layers/input.h"
#include "model/layers/merging.h"
#include "model/layers/normalization.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"

namespace wt::model {

namespace {

using Reader = LayerReader;

LayerPtr read_input(Reader& r) {
  const std::optional<TensorSpec> spec = input_spec_from_json(r);
  if (!spec) r.problem("name", "the shape is not stated", "add \"batch_shape\", null for the batch axis");
  return spec ? input_layer(spec->shape, spec->type, r.name()) : nullptr;
}

LayerPtr read_dense(Reader& r) {
  return dense({.name = r.name(),
                .units = r.extent("units"),
                .activation = r.activation("activation"),
                .use_bias = r.flag("use_bias", true),
                .kernel_initializer = r.initializer("kernel_initializer", glorot_uniform),
                .bias_initializer = r.initializer("bias_initializer", zeros),
                .kernel_regularizer = r.regularizer("kernel_regularizer"),
                .bias_regularizer = r.regularizer("bias_regularizer"),
                .trainable = r.trainable()});
}

LayerPtr read_conv2d(Reader& r) {
  if (!r.has("kernel_size")) r.required<std::int64_t>("kernel_size");
  return conv2d({.name = r.name(),
                 .filters = r.extent("filters"),
                 .kernel_size = r.pair("kernel_size").value_or(Shape{1, 1}),
                 .strides = r.pair("strides").value_or(Shape{1, 1}),
                 .padding = r.padding(),
                 .dilation_rate = r.pair("dilation_rate").value_or(Shape{1, 1}),
                 .groups = r.maybe_extent("groups").value_or(1),
                 .activation = r.activation("activation"),
                 .use_bias = r.flag("use_bias", true),
                 .kernel_initializer = r.initializer("kernel_initializer", glorot_uniform),
                 .bias_initializer = r.initializer("bias_initializer", zeros),
                 .kernel_regularizer = r.regularizer("kernel_regularizer"),
                 .bias_regularizer = r.regularizer("bias_regularizer"),
                 .trainable = r.trainable()});
}

template <LayerPtr (*make)(Pooling2DConfig)>
LayerPtr read_pooling(Reader& r) {
  return make({r.name(), r.pair("pool_size").value_or(Shape{2, 2}), r.pair("strides"), r.padding()});
}

template <LayerPtr (*make)(const GlobalPooling2DConfig&)>
LayerPtr read_global_pooling(Reader& r) {
  return make({r.name(), r.flag("keepdims", false)});
}

template <LayerPtr (*make)(std::string)>
LayerPtr read_name_only(Reader& r) {
  return make(r.name());
}

LayerPtr read_reshape(Reader& r) { return reshape({r.name(), r.extents("target_shape")}); }

// "padding" is 1, [1, 2] (height, width), or [[above, below], [left, right]].
LayerPtr read_zero_padding(Reader& r) {
  ZeroPadding2DConfig config{.name = r.name()};
  const json::Value* padding = r.given("padding");
  const bool is_nested = padding != nullptr && padding->kind() == json::Kind::array &&
                         padding->elements().size() == 2 &&
                         padding->elements()[0].kind() == json::Kind::array;
  if (!is_nested) {
    const Shape two = r.pair("padding", 0).value_or(Shape{1, 1});
    config.height = {two[0], two[0]};
    config.width = {two[1], two[1]};
    return zero_padding2d(config);
  }
  const auto sides = [&](std::size_t i) {
    const auto read = json::convert<std::vector<std::int64_t>>(padding->elements()[i], r.problems(),
                                                               {.at_least = 0, .at_most = 4096});
    return read && read->size() < Shape::max_rank ? Shape(*read) : Shape{};
  };
  config.height = sides(0);
  config.width = sides(1);
  return zero_padding2d(config);
}

LayerPtr read_rescaling(Reader& r) {
  return rescaling({r.name(), r.number("scale", 1), r.number("offset", 0)});
}

LayerPtr read_activation(Reader& r) {
  if (!r.has("activation")) r.required<std::string>("activation");
  return activation(r.activation("activation"), r.name());
}

LayerPtr read_relu(Reader& r) {
  if (r.number("max_value", 0) == 0 && r.given("max_value") == nullptr) return relu(r.name());
  if (r.number("max_value", 0) != 6)
    r.problem("max_value", "a bound other than 6 is not offered", "set it to null or 6");
  return activation("relu6", r.name());
}

LayerPtr read_softmax(Reader& r) {
  if (r.last_axis(-1) != -1) r.problem("axis", "only the last axis, -1, is offered");
  return softmax(r.name());
}

LayerPtr read_dropout(Reader& r) { return dropout({r.name(), r.required<double>("rate"), r.seed()}); }

LayerPtr read_batch_normalization(Reader& r) {
  return batch_normalization(
      {.name = r.name(),
       .axis = r.last_axis(-1),
       .momentum = r.number("momentum", 0.99, {.at_least = 0.0, .at_most = 1.0}),
       .epsilon = r.number("epsilon", 1e-3, {.at_least = 0.0}),
       .center = r.flag("center", true),
       .scale = r.flag("scale", true),
       .beta_initializer = r.initializer("beta_initializer", zeros),
       .gamma_initializer = r.initializer("gamma_initializer", ones),
       .moving_mean_initializer = r.initializer("moving_mean_initializer", zeros),
       .moving_variance_initializer = r.initializer("moving_variance_initializer", ones),
       .beta_regularizer = r.regularizer("beta_regularizer"),
       .gamma_regularizer = r.regularizer("gamma_regularizer"),
       .trainable = r.trainable()});
}

LayerPtr read_layer_normalization(Reader& r) {
  return layer_normalization({.name = r.name(),
                              .axis = r.last_axis(-1),
                              .epsilon = r.number("epsilon", 1e-3, {.at_least = 0.0}),
                              .center = r.flag("center", true),
                              .scale = r.flag("scale", true),
                              .beta_initializer = r.initializer("beta_initializer", zeros),
                              .gamma_initializer = r.initializer("gamma_initializer", ones),
                              .beta_regularizer = r.regularizer("beta_regularizer"),
                              .gamma_regularizer = r.regularizer("gamma_regularizer"),
                              .trainable = r.trainable()});
}

LayerPtr read_embedding(Reader& r) {
  return embedding({.name = r.name(),
                    .input_dim = r.table_rows("input_dim"),
                    .output_dim = r.extent("output_dim"),
                    .embeddings_initializer = r.initializer("embeddings_initializer", {Uniform{}, {}}),
                    .embeddings_regularizer = r.regularizer("embeddings_regularizer"),
                    .trainable = r.trainable()});
}

LayerPtr read_concatenate(Reader& r) { return concatenate({r.name(), r.axis(-1)}); }

// Keras writes the size of the output as a number or, in version 3, as the shape of an output element.
std::optional<std::int64_t> read_output_size(Reader& r) {
  const json::Value* shape = r.given("output_shape");
  if (shape == nullptr || shape->kind() != json::Kind::array) return r.maybe_extent("output_shape");
  const std::vector<std::int64_t> extents = r.extents("output_shape");
  if (extents.size() == 1 && extents[0] >= 1) return extents[0];
  r.problem("output_shape", "only one extent is offered", "write a number, or a list of one");
  return std::nullopt;
}

LayerPtr read_attention(Reader& r) {
  return multi_head_attention({.name = r.name(),
                               .num_heads = r.extent("num_heads"),
                               .key_dim = r.extent("key_dim"),
                               .value_dim = r.maybe_extent("value_dim"),
                               .dropout = r.number("dropout", 0),
                               .use_bias = r.flag("use_bias", true),
                               .output_dim = read_output_size(r),
                               .kernel_initializer = r.initializer("kernel_initializer", glorot_uniform),
                               .bias_initializer = r.initializer("bias_initializer", zeros),
                               .kernel_regularizer = r.regularizer("kernel_regularizer"),
                               .bias_regularizer = r.regularizer("bias_regularizer"),
                               .seed = r.seed(),
                               .trainable = r.trainable()});
}

constexpr LayerClass layer_rows[] = {
    {"Activation", "an activation function that is named by its argument", read_activation},
    {"Add", "the sum of its inputs", read_name_only<add>},
    {"Average", "the mean of its inputs", read_name_only<average>},
    {"AveragePooling2D", "the mean of each window of an image", read_pooling<average_pooling2d>},
    {"BatchNormalization", "mean 0 and variance 1 over the batch, then scale and shift",
     read_batch_normalization},
    {"Concatenate", "its inputs concatenated along an axis", read_concatenate},
    {"Conv2D", "convolution of images, channels last; strides, dilation, groups", read_conv2d},
    {"Dense", "activation(x W + b) on the last axis", read_dense},
    {"Dropout", "sets random elements to zero in training", read_dropout},
    {"Embedding", "the row of a table for each id", read_embedding},
    {"Flatten", "merges all axes but the batch axis into one", read_name_only<flatten>},
    {"GlobalAveragePooling2D", "the mean of each channel", read_global_pooling<global_average_pooling2d>},
    {"GlobalMaxPooling2D", "the maximum of each channel", read_global_pooling<global_max_pooling2d>},
    {"InputLayer", "declares the shape and the type of a model's input", read_input},
    {"LayerNormalization", "mean 0 and variance 1 over the last axis, then scale and shift",
     read_layer_normalization},
    {"MaxPooling2D", "the maximum of each window of an image", read_pooling<max_pooling2d>},
    {"Maximum", "the largest of its inputs, element by element", read_name_only<maximum>},
    {"Minimum", "the smallest of its inputs, element by element", read_name_only<minimum>},
    {"MultiHeadAttention", "scaled dot-product attention in several heads", read_attention},
    {"Multiply", "the product of its inputs", read_name_only<multiply>},
    {"ReLU", "max(x, 0), or min(max(x, 0), 6) with max_value 6", read_relu},
    {"Rescaling", "x * scale + offset", read_rescaling},
    {"Reshape", "the same elements in another shape", read_reshape},
    {"Softmax", "exp(x) / sum of exp(x) over the last axis", read_softmax},
    {"Subtract", "the first of two inputs minus the second", read_name_only<subtract>},
    {"ZeroPadding2D", "adds rows and columns of zeros around images", read_zero_padding},
};

// Reads a list such as [null, 28, 28, 1] and drops the batch axis. An extent of null becomes 0, which accepts
// any extent.
std::optional<Shape> shape_without_batch(LayerReader& config, std::string_view key) {
  const json::Value* value = config.given(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind() != json::Kind::array || value->elements().empty()) {
    config.problem(key, fmt::format("\"{}\" is not a list of extents", key),
                   "write a list that begins with the batch axis, such as [null, 28, 28, 1]");
    return std::nullopt;
  }
  Shape shape;
  const json::Value::Elements& extents = value->elements();
  if (extents.size() > Shape::max_rank) {
    config.problem(key, fmt::format("there are {} axes", extents.size()),
                   fmt::format("at most {} are offered", Shape::max_rank));
    return std::nullopt;
  }
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const bool is_open = extents[i].kind() == json::Kind::null;
    shape.append(is_open ? 0
                         : json::convert<std::int64_t>(extents[i], config.problems(),
                                                       {.at_least = 1, .at_most = 1 << 24})
                               .value_or(1));
  }
  return shape;
}

}  // namespace

std::span<const LayerClass> layer_classes() { return layer_rows; }

const LayerClass* find_layer_class(std::string_view class_name) {
  const auto row = std::ranges::find(layer_rows, class_name, &LayerClass::class_name);
  return row == std::end(layer_rows) ? nullptr : row;
}

std::optional<TensorSpec> input_spec_from_json(LayerReader& config) {
  std::optional<Shape> shape;
  for (const auto* key : {"batch_shape", "batch_input_shape"})
    if (const auto read = shape_without_batch(config, key); read && !shape) shape = read;
  if (!shape) return std::nullopt;
  Type type = Type::float32;
  const json::Value* dtype = config.given("dtype");
  if (dtype != nullptr && dtype->kind() == json::Kind::string) {
    const std::optional<Type> named = type_named(dtype->string());
    if (!named)
      config.problem("dtype", fmt::format("unknown type {}", dtype->text()),
                     "known: float32, float64, int32, int64, uint8");
    type = named.value_or(type);
  }
  return TensorSpec{type, *shape};
}

}  // namespace wt::model
