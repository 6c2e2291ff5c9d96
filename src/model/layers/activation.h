#pragma once

#include "model/layer.h"

namespace wt::model {

// Layers that apply an activation function. The names of activations are those in model/activation.h.
LayerPtr activation(std::string activation, std::string name = {});
LayerPtr relu(std::string name = {});
LayerPtr softmax(std::string name = {});  // over the last axis

}  // namespace wt::model
