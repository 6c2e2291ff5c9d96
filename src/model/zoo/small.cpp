// The models of TensorFlow's tutorials on distributed training, and a multilayer perceptron.
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/zoo/families.h"

namespace wt::model {

namespace {

// Keras' Sequential([Dense(1, input_shape=(1,))]), with 2 parameters.
LayerPtr linear(const ZooValues&) { return sequential("linear", {input_layer({1}), dense({.units = 1})}); }

LayerPtr mlp(const ZooValues& values) {
  std::vector<LayerPtr> layers{input_layer({values.at("features")})};
  for (std::int64_t i = 0; i < values.at("layers"); ++i)
    layers.push_back(dense({.units = values.at("units"), .activation = "relu"}));
  layers.push_back(dense({.units = values.at("classes"), .activation = "softmax"}));
  return sequential("mlp", std::move(layers));
}

// The network for Fashion-MNIST of TensorFlow's tutorial on custom distributed training loops. The height and
// width of the image shrink from 28 to 26, 13, 11 and 5; flattened, these are 1600 numbers. It has 121,930
// parameters.
LayerPtr fashion_cnn(const ZooValues&) {
  const auto convolution = [](std::int64_t filters) {
    return conv2d({.filters = filters, .kernel_size = {3, 3}, .activation = "relu"});
  };
  return sequential(
      "fashion_cnn",
      {input_layer({28, 28, 1}), convolution(32), max_pooling2d(), convolution(64), max_pooling2d(),
       flatten(), dense({.units = 64, .activation = "relu"}), dense({.units = 10, .activation = "softmax"})});
}

constexpr ZooParameter mlp_parameters[] = {
    {"features", "numbers per example", 784},
    {"layers", "hidden layers", 2, 0, most_blocks},
    {"units", "units of each hidden layer", 128},
    {"classes", "number of classes", 10},
};

constexpr ZooModel small_rows[] = {
    {.name = "linear", .summary = "one number from one number, Dense(1): 2 parameters", .build = linear},
    {.name = "mlp",
     .summary = "dense layers with relu, then softmax",
     .parameters = mlp_parameters,
     .build = mlp},
    {.name = "fashion_cnn",
     .summary = "two convolutions and two dense layers for Fashion-MNIST: 121,930 parameters",
     .build = fashion_cnn},
};

}  // namespace

std::span<const ZooModel> small_models() { return small_rows; }

}  // namespace wt::model
