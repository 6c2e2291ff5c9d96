#include "program/gradient_rules.h"

namespace wt {

Backward::Backward(Program& program, Node node, std::span<const std::optional<ValueId>> gradients,
                   std::vector<bool> wanted)
    : program_(program),
      node_(std::move(node)),
      scope_(node_.scope.empty() ? "gradient" : "gradient/" + node_.scope),
      gradients_(gradients),
      wanted_(std::move(wanted)),
      sent_(node_.inputs.size()) {}

ValueId Backward::gradient(std::size_t i) {
  return gradients_[i] ? *gradients_[i] : constant(program_.spec(output(i)), 0.0);
}

void Backward::send(std::size_t i, ValueId gradient) {
  WT_EXPECT(program_.spec(gradient) == program_.spec(input(i)),
            "the gradient of input {} of {} is {}, the input is {}", i, name(node_.operation),
            print(program_.spec(gradient)), print(program_.spec(input(i))));
  sent_[i] = gradient;
}

void Backward::send_summed(std::size_t i, ValueId gradient) {
  const Shape target = shape(input(i));
  const Shape from = shape(gradient);
  Shape axes;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const int own = axis - (from.rank() - target.rank());
    if (own < 0 || target[own] != from[axis]) axes.append(axis);
  }
  if (axes.rank() > 0) gradient = apply("reduce_sum", {gradient}, AxesAttributes{axes});
  send(i, reshape(gradient, target));
}

ValueId Backward::apply(std::string_view kernel, std::vector<ValueId> inputs, Attributes attributes) {
  return apply_all(kernel, std::move(inputs), std::move(attributes))[0];
}

std::vector<ValueId> Backward::apply_all(std::string_view kernel, std::vector<ValueId> inputs,
                                         Attributes attributes) {
  return append(program_, Apply{&kernel_named(kernel), std::move(attributes)}, std::move(inputs), scope_);
}

ValueId Backward::append_one(Operation operation, std::vector<ValueId> inputs) {
  return append(program_, std::move(operation), std::move(inputs), scope_)[0];
}

ValueId Backward::reshape(ValueId value, const Shape& target) {
  return shape(value) == target ? value : append_one(Reshape{target}, {value});
}

ValueId Backward::constant(const TensorSpec& spec, double value) {
  return apply("fill", {}, FillAttributes{spec, value});
}

ValueId Backward::divided(ValueId value, double by) {
  return apply("divide", {value, constant({program_.spec(value).type, {}}, by)});
}

ValueId Backward::scaled(ValueId value, double factor) {
  return apply("multiply", {value, constant({program_.spec(value).type, {}}, factor)});
}

}  // namespace wt
