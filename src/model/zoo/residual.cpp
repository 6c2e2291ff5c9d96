// He et al., 2015, "Deep residual learning for image recognition".
//
// Layers have the names of Keras' applications and, unlike there, convolutions before a batch normalization
// have no bias. So parameters are torchvision's: 25,557,032 for resnet50, 60,192,808 for resnet152 at 1000
// classes. Windows are padded by TensorFlow's `same`; torchvision pads evenly, which shifts strided layers by
// a pixel and counts the same.
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

struct Window {
  std::int64_t filters = 0;
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// Convolution and batch normalization.
Output normalized(const std::string& name, const Output& x, const Window& window) {
  const Output convolved = conv2d({.name = name + "_conv",
                                   .filters = window.filters,
                                   .kernel_size = {window.size, window.size},
                                   .strides = {window.stride, window.stride},
                                   .padding = Padding::same,
                                   .use_bias = false,
                                   .kernel_initializer = he_normal})(x);
  return batch_normalization({.name = name + "_bn", .momentum = 0.9, .epsilon = 1e-5})(convolved);
}

Output rectified(const std::string& name, const Output& x) { return relu(name)(x); }

Output joined(const std::string& name, const Output& shortcut, const Output& x) {
  return rectified(name + "_out", add(name + "_add")({shortcut, x}));
}

// Two 3x3 windows. The first block of a stage may halve the image and then projects its shortcut.
Output basic_block(const std::string& name, const Output& x, std::int64_t filters, std::int64_t stride,
                   bool projects) {
  const Output shortcut = projects ? normalized(name + "_0", x, {filters, 1, stride}) : x;
  const Output middle = rectified(name + "_1_relu", normalized(name + "_1", x, {filters, 3, stride}));
  return joined(name, shortcut, normalized(name + "_2", middle, {filters, 3}));
}

// Down to `filters`, a 3x3 window, and up to four times as many. The paper strides in the first 1x1;
// version 1.5, which is what torchvision and NVIDIA train, in the 3x3: better by half a percent and 6 % more
// work.
struct Bottleneck {
  std::int64_t filters = 0;
  std::int64_t stride = 1;
  bool strides_first = false;
};

Output bottleneck_block(const std::string& name, const Output& x, const Bottleneck& block, bool projects) {
  const auto [filters, stride, strides_first] = block;
  const Output shortcut = projects ? normalized(name + "_0", x, {4 * filters, 1, stride}) : x;
  const Window down{filters, 1, strides_first ? stride : 1};
  const Window across{filters, 3, strides_first ? 1 : stride};
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

// The paper's section 4.2, for CIFAR-10: 6 n + 2 layers. Shortcuts that change shape are projections, where
// the paper pads with zeros and has 2,752 parameters fewer (269,722 at n = 3).
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
    {"v1", "the paper's strides, not version 1.5's", 0, 0, true},
};

constexpr ZooParameter small_parameters[] = {
    {"blocks", "per stage, of which there are three", 3},
    {"image", "height and width", 32, 4},
    {"channels", "of the image", 3},
    {"classes", "numbers in the prediction", 10},
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
