#pragma once

#include "model/zoo.h"

namespace wt::model {

// The rows of each family of the zoo. Every family is defined in a file of its own beside this header. A new
// network needs a function that makes it from its parameters and a row that refers to this function.
std::span<const ZooModel> small_models();
std::span<const ZooModel> residual_models();
std::span<const ZooModel> vgg_models();
std::span<const ZooModel> alexnet_models();
std::span<const ZooModel> inception_models();
std::span<const ZooModel> transformer_models();
std::span<const ZooModel> bert_models();

// He et al., "Delving deep into rectifiers", 2015: the variance 2 / fan_in, for layers that a relu follows.
inline const Initializer he_normal{
    VarianceScaling{2, VarianceScaling::Fan::in, VarianceScaling::Distribution::truncated_normal}, {}};

// Layers that are repeated. The deepest published networks have about as many.
inline constexpr std::int64_t most_blocks = 1024;

// ImageNet has 1000 classes. TensorFlow's benchmarks add a background class and have 1001.
inline constexpr ZooParameter imagenet_classes{"classes", "number of classes", 1000};

}  // namespace wt::model
