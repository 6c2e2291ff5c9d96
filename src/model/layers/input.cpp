#include "model/layers/input.h"

#include <fmt/format.h>

namespace wt::model {

namespace {

class InputLayer final : public Layer {
 public:
  InputLayer(const TensorSpec& spec, std::string name) : Layer(std::move(name)), spec_(spec) {
    if (spec.shape.rank() >= Shape::max_rank)
      refuse(fmt::format("the shape is {}", print(spec.shape)),
             fmt::format("at most {} axes besides the batch are offered", Shape::max_rank - 1));
  }
  std::string_view class_name() const override { return "InputLayer"; }
  std::vector<TensorSpec> input_specs() const override { return {spec_}; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::follows; }
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    bool fits = x.shape().rank() == spec_.shape.rank() + 1;
    for (int axis = 0; fits && axis < spec_.shape.rank(); ++axis)
      fits = spec_.shape[axis] == 0 || spec_.shape[axis] == x.shape()[axis + 1];
    if (!fits)
      refuse(fmt::format("it is declared as {} besides the batch axis and is given {}", print(spec_.shape),
                         print(x.spec())));
    return {x.spec().type == spec_.type ? x : cast(x, spec_.type)};
  }

 private:
  TensorSpec spec_;
};

}  // namespace

LayerPtr input_layer(const Shape& shape, Type type, std::string name) {
  return std::make_shared<InputLayer>(TensorSpec{type, shape}, std::move(name));
}

}  // namespace wt::model
