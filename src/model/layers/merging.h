#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that combine two or more inputs of equal rank element by element. Extents of 1 are broadcast.
LayerPtr add(std::string name = {});
LayerPtr subtract(std::string name = {});  // takes exactly two inputs
LayerPtr multiply(std::string name = {});
LayerPtr average(std::string name = {});
LayerPtr maximum(std::string name = {});
LayerPtr minimum(std::string name = {});

// Keras' Concatenate. Axis 0 is the batch axis, and negative axes count from the last.
struct ConcatenateConfig {
  std::string name{};
  int axis = -1;
};
// Keras' Dot: the products of two tensors summed along one axis of each, row by row of the batch. With `normalize` both
// are divided by their norms first (cosine proximity).
struct DotConfig {
  std::string name{};
  std::vector<int> axes{-1, -1};
  bool normalize = false;
};
LayerPtr dot(DotConfig config);

LayerPtr concatenate(const ConcatenateConfig& config = {});

}  // namespace wt::model
