// Residual networks (He et al., "Deep residual learning for image recognition", 2015).
//
// Layers have the names of Keras' applications. Unlike there, convolutions that precede a batch normalization
// have no bias, so the numbers of parameters are those of torchvision: 25,557,032 for resnet50 and 60,192,808
// for resnet152 at 1000 classes. Convolutions use TensorFlow's padding `same`. torchvision pads
// symmetrically, which shifts the windows of strided layers by a pixel and leaves the number of operations
// unchanged.
#include <fmt/format.h>

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

struct Filters {
  std::int64_t filters = 0;
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// A convolution and a batch normalization.
Output normalized(const std::string& name, const Output& x, const Filters& window) {
  const Output convolved = conv2d({.name = name + "_conv",
                                   .filters = window.filters,
                                   .kernel_size = {window.size, window.size},
                                   .strides = {window.stride, window.stride},
                                   .padding = Padding::same,
                                   .use_bias = false,
                                   .kernel = {he_normal}})(x);
  return batch_normalization({.name = name + "_bn", .momentum = 0.9, .epsilon = 1e-5})(convolved);
}

Output rectified(const std::string& name, const Output& x) { return relu(name)(x); }

Output joined(const std::string& name, const Output& shortcut, const Output& x) {
  return rectified(name + "_out", add(name + "_add")({shortcut, x}));
}

// Two 3 x 3 convolutions and a shortcut. The first block of a stage may halve the image; its shortcut is then
// a projection.
Output basic_block(const std::string& name, const Output& x, std::int64_t filters, std::int64_t stride,
                   bool projects) {
  const Output shortcut = projects ? normalized(name + "_0", x, {filters, 1, stride}) : x;
  const Output middle = rectified(name + "_1_relu", normalized(name + "_1", x, {filters, 3, stride}));
  return joined(name, shortcut, normalized(name + "_2", middle, {filters, 3}));
}

// A 1 x 1 convolution to `filters` channels, a 3 x 3 convolution, and a 1 x 1 convolution to four times as
// many channels. In the paper the first convolution has the stride. In version 1.5, which torchvision and
// NVIDIA train, the 3 x 3 convolution has it, which is half a percent more accurate and 6 % more work.
struct Bottleneck {
  std::int64_t filters = 0;
  std::int64_t stride = 1;
  bool strides_first = false;
};

Output bottleneck_block(const std::string& name, const Output& x, const Bottleneck& block, bool projects) {
  const auto [filters, stride, strides_first] = block;
  const Output shortcut = projects ? normalized(name + "_0", x, {4 * filters, 1, stride}) : x;
  const Filters down{filters, 1, strides_first ? stride : 1};
  const Filters across{filters, 3, strides_first ? 1 : stride};
  const Output first = rectified(name + "_1_relu", normalized(name + "_1", x, down));
  const Output second = rectified(name + "_2_relu", normalized(name + "_2", first, across));
  return joined(name, shortcut, normalized(name + "_3", second, {4 * filters, 1}));
}

Output classified(const Output& x, std::int64_t classes) {
  const Output pooled = global_average_pooling2d({.name = "avg_pool"})(x);
  return dense({.name = "predictions", .units = classes, .activation = "softmax"})(pooled);
}

LayerPtr imagenet(const std::string& name, const std::array<int, 4>& blocks, const ZooValues& values) {
  const Output image = input({224, 224, 3});
  Output x = rectified("conv1_relu", normalized("conv1", image, {64, 7, 2}));
  x = max_pooling2d(
      {.name = "pool1_pool", .pool_size = {3, 3}, .strides = Shape{2, 2}, .padding = Padding::same})(x);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    for (int block = 0; block < blocks[stage]; ++block) {
      const bool is_first = block == 0;
      x = bottleneck_block(fmt::format("conv{}_block{}", stage + 2, block + 1), x,
                           {.filters = 64 << stage,
                            .stride = is_first && stage > 0 ? 2 : 1,
                            .strides_first = values.at("v1") != 0},
                           is_first);
    }
  return functional(name, {image}, {classified(x, values.at("classes"))});
}

LayerPtr resnet50(const ZooValues& values) { return imagenet("resnet50", {3, 4, 6, 3}, values); }
LayerPtr resnet152(const ZooValues& values) { return imagenet("resnet152", {3, 8, 36, 3}, values); }

// The network for CIFAR-10 of section 4.2 of the paper, with 6 n + 2 layers. Shortcuts that change the shape
// are projections here; the paper pads with zeros, which takes 2,752 parameters less (269,722 at n = 3).
LayerPtr small_resnet(const ZooValues& values) {
  const std::int64_t side = values.at("image");
  const Output image = input({side, side, values.at("channels")});
  Output x = rectified("conv1_relu", normalized("conv1", image, {16, 3}));
  for (int stage = 0; stage < 3; ++stage)
    for (std::int64_t block = 0; block < values.at("blocks"); ++block) {
      const bool is_narrowing = stage > 0 && block == 0;
      x = basic_block(fmt::format("conv{}_block{}", stage + 2, block + 1), x, 16 << stage,
                      is_narrowing ? 2 : 1, is_narrowing);
    }
  return functional("small_resnet", {image}, {classified(x, values.at("classes"))});
}

constexpr ZooParameter imagenet_parameters[] = {
    imagenet_classes,
    {"v1", "the strides of the paper in place of those of version 1.5", 0, 0, 1, true},
};

constexpr ZooParameter small_parameters[] = {
    {"blocks", "residual blocks in each of the three stages", 3, 1, most_blocks / 3},
    {"image", "height and width of the image", 32, 4, 1 << 12},
    {"channels", "channels of the image", 3},
    {"classes", "number of classes", 10},
};

constexpr ZooModel residual_rows[] = {
    {.name = "small_resnet",
     .summary = "residual network for images of 32 x 32: 20 layers, 272,474 parameters",
     .parameters = small_parameters,
     .build = small_resnet},
    {.name = "resnet50",
     .summary = "residual network for ImageNet, version 1.5: 25,557,032 parameters",
     .parameters = imagenet_parameters,
     .build = resnet50},
    {.name = "resnet152",
     .summary = "residual network for ImageNet, version 1.5: 60,192,808 parameters",
     .parameters = imagenet_parameters,
     .shape_only = true,
     .build = resnet152},
};

}  // namespace

std::span<const ZooModel> residual_models() { return residual_rows; }

}  // namespace wt::model
