// VGG16 (Simonyan and Zisserman, 2014) as in Keras' applications, which has no dropout: 138,357,544
// parameters at 1000 classes.
#include <fmt/format.h>

#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/zoo/families.h"

namespace wt::model {

namespace {

struct Block {
  int convolutions = 0;
  std::int64_t filters = 0;
};

LayerPtr vgg16(const ZooValues& values) {
  std::vector<LayerPtr> layers{input_layer({224, 224, 3})};
  int number = 0;
  for (const auto& [convolutions, filters] : {Block{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}}) {
    ++number;
    for (int i = 1; i <= convolutions; ++i)
      layers.push_back(conv2d({.name = fmt::format("block{}_conv{}", number, i),
                               .filters = filters,
                               .kernel_size = {3, 3},
                               .padding = Padding::same,
                               .activation = "relu"}));
    layers.push_back(max_pooling2d({.name = fmt::format("block{}_pool", number)}));
  }
  layers.push_back(flatten("flatten"));
  layers.push_back(dense({.name = "fc1", .units = 4096, .activation = "relu"}));
  layers.push_back(dense({.name = "fc2", .units = 4096, .activation = "relu"}));
  layers.push_back(dense({.name = "predictions", .units = values.at("classes"), .activation = "softmax"}));
  return sequential("vgg16", std::move(layers));
}

constexpr ZooParameter vgg_parameters[] = {imagenet_classes};
constexpr ZooModel vgg_rows[] = {
    {.name = "vgg16",
     .summary = "thirteen 3 x 3 convolutions and three dense layers for ImageNet: 138,357,544 parameters",
     .parameters = vgg_parameters,
     .build = vgg16},
};

}  // namespace

std::span<const ZooModel> vgg_models() { return vgg_rows; }

}  // namespace wt::model
