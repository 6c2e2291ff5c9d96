#include "model/layers/activation.h"

#include "model/activation.h"

namespace wt::model {

namespace {

// Keras has the class Activation, whose argument names the function, and classes of their own for frequent
// functions.
class ActivationLayer final : public Layer {
 public:
  ActivationLayer(std::string_view class_name, std::string activation, std::string name)
      : Layer(std::move(name)), class_name_(class_name), activation_(std::move(activation)) {}
  std::string_view class_name() const override { return class_name_; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {activate(only(inputs), activation_)};
  }

 private:
  std::string_view class_name_;
  std::string activation_;
};

}  // namespace

LayerPtr activation(std::string activation, std::string name) {
  return std::make_shared<ActivationLayer>("Activation", std::move(activation), std::move(name));
}
LayerPtr relu(std::string name) { return std::make_shared<ActivationLayer>("ReLU", "relu", std::move(name)); }
LayerPtr softmax(std::string name) {
  return std::make_shared<ActivationLayer>("Softmax", "softmax", std::move(name));
}

}  // namespace wt::model
