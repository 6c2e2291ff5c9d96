#include "model/sequential.h"

namespace wt::model {

Sequential::Sequential(std::string name, std::vector<LayerPtr> layers, bool trainable)
    : Layer(std::move(name), trainable), layers_(std::move(layers)) {
  if (layers_.empty()) refuse("it has no layers", "add at least one");
  name_layers(*this, layers_);
}

std::vector<TensorSpec> Sequential::input_specs() const { return layers_.front()->input_specs(); }

std::vector<Symbol> Sequential::call(Building& building, const std::vector<Symbol>& inputs) const {
  std::vector<Symbol> values = inputs;
  for (const LayerPtr& layer : layers_) values = (*layer)(building, values);
  return values;
}

LayerPtr sequential(std::string name, std::vector<LayerPtr> layers) {
  return std::make_shared<Sequential>(std::move(name), std::move(layers));
}

}  // namespace wt::model
