#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that apply an activation function. The names of activations are those in model/activation.h.
LayerPtr activation(std::string activation, std::string name = {});
LayerPtr relu(std::string name = {});

// Keras' ReLU: max_value above it, x where x is between threshold and max_value, and negative_slope * (x - threshold)
// below the threshold.
struct ReluConfig {
  std::string name{};
  std::optional<double> max_value{};
  double negative_slope = 0;
  double threshold = 0;
};
LayerPtr relu(ReluConfig config);

// Keras' Softmax along one axis or several. Where the input carries a mask, or where a second input is a mask, masked
// elements get no share.
struct SoftmaxConfig {
  std::string name{};
  std::vector<int> axes{-1};
};
LayerPtr softmax(SoftmaxConfig config = {});

LayerPtr leaky_relu(double negative_slope, std::string name = {});  // x, and negative_slope * x below 0
LayerPtr elu(double alpha, std::string name = {});                  // x, and alpha * (exp(x) - 1) below 0
LayerPtr thresholded_relu(double theta, std::string name = {});     // x above theta, and 0 elsewhere

// Keras' PReLU (He et al., 2015): x, and alpha * x below 0, where alpha is a weight for each element. Along shared axes
// there is one for all.
struct PreluConfig {
  std::string name{};
  WeightRule alpha{};
  std::vector<int> shared_axes{};
  bool trainable = true;
};
LayerPtr prelu(PreluConfig config);

}  // namespace wt::model
