#include "model/layers/operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/axes.h"
#include "model/constants.h"
#include "model/mask.h"

namespace wt::model {

namespace {

Symbol any_along(const std::vector<Symbol>& x, const OperationConfig& config) {
  std::vector<int> axes = config.axes;
  for (int& axis : axes) axis = axis_of(axis, x[0].spec());
  std::ranges::sort(axes);
  Shape reduced;
  for (const int axis : axes) reduced.append(axis);
  if (axes.empty())
    for (int axis = 0; axis < x[0].shape().rank(); ++axis) reduced.append(axis);
  return any(x[0], reduced, config.keepdims);
}

Symbol as_float(Symbol x) { return is_floating(x.spec().type) ? x : cast(x, Type::float32); }

constexpr OperationClass rows[] = {
    {"Any", "whether an element is true, along axes", 1, any_along},
    {"Divide", "the quotient of two tensors", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return as_float(x[0]) / as_float(x[1]); }},
    {"Equal", "where two tensors are equal", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return equal(x[0], x[1]); }},
    {"Greater", "where the first of two tensors is larger", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return greater(x[0], x[1]); }},
    {"Less", "where the first of two tensors is smaller", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return less(x[0], x[1]); }},
    {"LogicalAnd", "where both are true", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return both(x[0], x[1]); }},
    {"LogicalNot", "where it is false", 1,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return negated(x[0]); }},
    {"LogicalOr", "where one of two is true", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return either(x[0], x[1]); }},
    {"Negative", "the opposite number", 1,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return -x[0]; }},
    {"NotEqual", "where two tensors differ", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return negated(equal(x[0], x[1])); }},
    {"TrueDivide", "the quotient of two tensors", 2,
     [](const std::vector<Symbol>& x, const OperationConfig&) { return as_float(x[0]) / as_float(x[1]); }},
};

class OperationLayer final : public Layer {
 public:
  explicit OperationLayer(OperationConfig config)
      : Layer(config.name),
        config_(std::move(config)),
        row_(std::ranges::find(rows, config_.class_name, &OperationClass::class_name)) {
    WT_EXPECT(row_ != std::end(rows), "there is no operation {}", config_.class_name);
  }
  std::string_view class_name() const override { return row_->class_name; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    std::vector<Symbol> arguments = inputs;
    for (const auto& [position, value] : building.options().constants)
      if (!inputs.empty() && position <= arguments.size())
        arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(position),
                         number_like(inputs[0], value));
    if (arguments.size() != row_->arguments)
      refuse(fmt::format("it is given {} arguments", arguments.size()),
             fmt::format("it takes {}", row_->arguments));
    return {row_->apply(arguments, config_)};
  }

 private:
  OperationConfig config_;
  const OperationClass* row_;
};

}  // namespace

std::span<const OperationClass> operation_classes() { return rows; }
LayerPtr operation(OperationConfig config) { return std::make_shared<OperationLayer>(std::move(config)); }

}  // namespace wt::model
