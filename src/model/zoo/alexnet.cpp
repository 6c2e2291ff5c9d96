// AlexNet (Krizhevsky, Sutskever and Hinton, 2012) without the split over two GPUs, as TensorFlow's
// benchmarks of 2017 (tf_cnn_benchmarks) define it: images of 227 x 227, convolutions of 64, 192, 384, 384
// and 256 filters, and 61,842,345 parameters at 1001 classes. torchvision's AlexNet differs: images of 224 x
// 224, 256 filters in the fourth convolution, and 61,100,840 parameters at 1000 classes.
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/zoo/families.h"

namespace wt::model {

namespace {

LayerPtr alexnet(const ZooValues& values) {
  const auto window = [](std::int64_t filters, std::int64_t size) {
    return conv2d(
        {.filters = filters, .kernel_size = {size, size}, .padding = Padding::same, .activation = "relu"});
  };
  const auto pool = [] { return max_pooling2d({.pool_size = {3, 3}, .strides = Shape{2, 2}}); };
  const LayerPtr first =
      conv2d({.filters = 64, .kernel_size = {11, 11}, .strides = {4, 4}, .activation = "relu"});
  const auto wide = [] { return dense({.units = 4096, .activation = "relu"}); };
  return sequential(
      "alexnet", {input_layer({227, 227, 3}), first, pool(), window(192, 5), pool(), window(384, 3),
                  window(384, 3), window(256, 3), pool(), flatten(), wide(), dropout({.rate = 0.5}), wide(),
                  dropout({.rate = 0.5}), dense({.units = values.at("classes"), .activation = "softmax"})});
}

constexpr ZooParameter alexnet_parameters[] = {imagenet_classes};
constexpr ZooModel alexnet_rows[] = {
    {.name = "alexnet",
     .summary = "five convolutions and three dense layers for ImageNet: 61,838,248 parameters",
     .parameters = alexnet_parameters,
     .shape_only = true,
     .build = alexnet},
};

}  // namespace

std::span<const ZooModel> alexnet_models() { return alexnet_rows; }

}  // namespace wt::model
