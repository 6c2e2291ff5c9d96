#pragma once

#include "model/layers/input.h"

namespace wt::model {

// A model whose layers are called one after another. Its input shape is that of its first layer, and is known
// if that layer is an input_layer or a model.
//
//   const Sequential model("linear", {input_layer({1}), dense({.units = 1})});
class Sequential : public Layer {
 public:
  // Names the layers that have no name. If `name` is empty, an outer model names this one sequential,
  // sequential_1, ... Throws InputError if there are no layers, or if two layers have the same name.
  Sequential(std::string name, std::vector<LayerPtr> layers, bool trainable = true);

  std::string_view class_name() const override { return "Sequential"; }
  const std::vector<LayerPtr>& layers() const { return layers_; }
  std::vector<std::shared_ptr<Layer>> parts() const override { return {layers_.begin(), layers_.end()}; }
  std::vector<TensorSpec> input_specs() const override;

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override;

 private:
  std::vector<LayerPtr> layers_;
};

LayerPtr sequential(std::string name, std::vector<LayerPtr> layers);

}  // namespace wt::model
