#pragma once
// Where Keras stores the weights of a model. Since 2.13 each layer has a group named after its class, and the variables
// of a layer are numbered; layers inside a layer follow below the attribute that holds them:
//
//   layers/dense/vars/0                  the kernel of the first Dense
//   layers/dense_1/vars/0                that of the second one, whatever its name is
//   layers/bidirectional/forward_layer/cell/vars/0
//
// Before, and in files named .h5 until today, a layer has a group named after it, which lists the names of its weights.

#include <string>
#include <vector>

#include "model/layer.h"

namespace wt::model::keras {

struct StoredWeight {
  const Weight* weight = nullptr;
  std::string path{};
};

// The weights of the model with their places in the layout of numbered variables. The versions name some attributes
// differently. Random streams are no weights in these files. Requires: `weights` are the model's.
std::vector<StoredWeight> numbered_layout(const Layer& model, const std::vector<Weight>& weights,
                                          Semantics semantics);

// The layers of the outermost model that have weights, in the order of the model, each with its weights in the order of
// the older files: those that are trained, then the others.
struct LayerWeights {
  std::string layer{};
  std::vector<const Weight*> weights{};
};
std::vector<LayerWeights> layers_with_weights(const Layer& model, const std::vector<Weight>& weights);

}  // namespace wt::model::keras
