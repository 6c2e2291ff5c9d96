// Inception v3 (Szegedy et al., "Rethinking the inception architecture for computer vision", 2015) as in
// Keras' applications: images of 299 x 299, no auxiliary classifier, and batch normalization without gamma.
// At 1000 classes it has 23,817,352 trainable parameters. Keras states 23,851,784, which includes the moving
// statistics.
#include "model/functional.h"
#include "model/layers/activation.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/merging.h"
#include "model/layers/normalization.h"
#include "model/layers/pooling.h"
#include "model/zoo/families.h"

namespace wt::model {

namespace {

struct Window {
  std::int64_t filters = 0;
  Shape size{1, 1};
  std::int64_t stride = 1;
  Padding padding = Padding::same;
};

// Convolutions in a row, each followed by batch normalization and relu.
Output after(Output x, const std::vector<Window>& windows) {
  for (const auto& [filters, size, stride, padding] : windows) {
    x = conv2d({.filters = filters,
                .kernel_size = size,
                .strides = {stride, stride},
                .padding = padding,
                .use_bias = false})(x);
    x = relu()(batch_normalization({.scale = false})(x));
  }
  return x;
}

Output halved(const Output& x) { return max_pooling2d({.pool_size = {3, 3}, .strides = Shape{2, 2}})(x); }
Output averaged(const Output& x) {
  return average_pooling2d({.pool_size = {3, 3}, .strides = Shape{1, 1}, .padding = Padding::same})(x);
}
Output mixed(const std::string& number, const std::vector<Output>& branches) {
  return concatenate({.name = "mixed" + number})(branches);
}

// A block on a grid of 35 x 35: figure 5 of the paper.
Output block_35(const std::string& number, const Output& x, std::int64_t pooled) {
  return mixed(number, {after(x, {{64}}), after(x, {{48}, {64, {5, 5}}}),
                        after(x, {{64}, {96, {3, 3}}, {96, {3, 3}}}), after(averaged(x), {{pooled}})});
}

// A block on a grid of 17 x 17, figure 6: 7 x 7 convolutions are factorized into 1 x 7 and 7 x 1.
Output block_17(const std::string& number, const Output& x, std::int64_t inner) {
  const Shape row{1, 7}, column{7, 1};
  return mixed(number, {after(x, {{192}}), after(x, {{inner}, {inner, row}, {192, column}}),
                        after(x, {{inner}, {inner, column}, {inner, row}, {inner, column}, {192, row}}),
                        after(averaged(x), {{192}})});
}

// A block on a grid of 8 x 8, figure 7: a 1 x 3 and a 3 x 1 convolution of the same input are concatenated.
Output block_8(const std::string& number, const Output& x) {
  const auto forked = [](const Output& stem) {
    return concatenate()({after(stem, {{384, {1, 3}}}), after(stem, {{384, {3, 1}}})});
  };
  return mixed(number, {after(x, {{320}}), forked(after(x, {{384}})),
                        forked(after(x, {{448}, {384, {3, 3}}})), after(averaged(x), {{192}})});
}

// Halves the grid from 35 x 35 to 17 x 17.
Output narrowed_35(const Output& x) {
  return mixed("3", {after(x, {{384, {3, 3}, 2, Padding::valid}}),
                     after(x, {{64}, {96, {3, 3}}, {96, {3, 3}, 2, Padding::valid}}), halved(x)});
}

// Halves the grid from 17 x 17 to 8 x 8.
Output narrowed_17(const Output& x) {
  return mixed(
      "8", {after(x, {{192}, {320, {3, 3}, 2, Padding::valid}}),
            after(x, {{192}, {192, {1, 7}}, {192, {7, 1}}, {192, {3, 3}, 2, Padding::valid}}), halved(x)});
}

LayerPtr inception_v3(const ZooValues& values) {
  const Output image = input({299, 299, 3});
  Output x = after(image, {{32, {3, 3}, 2, Padding::valid}, {32, {3, 3}, 1, Padding::valid}, {64, {3, 3}}});
  x = after(halved(x), {{80, {1, 1}, 1, Padding::valid}, {192, {3, 3}, 1, Padding::valid}});
  x = halved(x);
  x = block_35("0", x, 32);
  x = block_35("1", x, 64);
  x = narrowed_35(block_35("2", x, 64));
  x = block_17("4", x, 128);
  x = block_17("5", x, 160);
  x = block_17("6", x, 160);
  x = narrowed_17(block_17("7", x, 192));
  x = block_8("10", block_8("9", x));
  x = global_average_pooling2d({.name = "avg_pool"})(x);
  x = dense({.name = "predictions", .units = values.at("classes"), .activation = "softmax"})(x);
  return functional("inception_v3", {image}, {x});
}

constexpr ZooParameter inception_parameters[] = {imagenet_classes};
constexpr ZooModel inception_rows[] = {
    {.name = "inception_v3",
     .summary = "blocks of parallel convolutions for ImageNet: 23,851,784 parameters",
     .parameters = inception_parameters,
     .shape_only = true,
     .build = inception_v3},
};

}  // namespace

std::span<const ZooModel> inception_models() { return inception_rows; }

}  // namespace wt::model
