#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

void require_rate(std::string_view kernel, const Attributes& attributes) {
  const double rate = attributes_as<DropoutAttributes>(attributes).rate;
  if (!(rate >= 0 && rate < 1))
    refuse(kernel, fmt::format("the rate is {}", rate), "it must be at least 0 and less than 1");
}

std::vector<TensorSpec> dropout_outputs(Specs inputs, const Attributes& attributes) {
  require_rate("dropout", attributes);
  require_count("dropout", inputs, 2);
  require_floating("dropout", "x", inputs[0]);
  require_type("dropout", "seed", inputs[1], Type::int64);
  require_shape("dropout", "seed", inputs[1], {2});
  return {inputs[0], {Type::boolean, inputs[0].shape}};
}

std::vector<TensorSpec> dropout_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "dropout_gradient";
  require_rate(name, attributes);
  require_count(name, inputs, 2);
  require_floating(name, "dy", inputs[0]);
  require_type(name, "mask", inputs[1], Type::boolean);
  require_shape(name, "mask", inputs[1], inputs[0].shape);
  return {inputs[0]};
}

std::vector<TensorSpec> uniform_outputs(Specs inputs, const Attributes& attributes) {
  require_count("uniform", inputs, 1);
  require_type("uniform", "seed", inputs[0], Type::int64);
  require_shape("uniform", "seed", inputs[0], {2});
  const TensorSpec& y = attributes_as<FillAttributes>(attributes).spec;
  require_floating("uniform", "y", y);
  return {y};
}

std::vector<Example> uniform_examples() {
  const auto example = [](const Shape& y, double value) {
    return Example{{{{Type::int64, {2}}, 0, 1e6}}, FillAttributes{{Type::float32, y}, value}};
  };
  return {example({5, 7}, 1), example({}, 0.25), example({17}, -3)};
}

DropoutAttributes rate(double value) { return {value}; }

std::vector<Example> dropout_examples() {
  const auto example = [](const Shape& x, double value) {
    return Example{{{{Type::float32, x}}, {{Type::int64, {2}}, 0, 1e6}}, rate(value)};
  };
  return {example({5, 7}, 0.5), example({2, 3, 3}, 0.2), example({6}, 0)};
}

std::vector<Example> dropout_gradient_examples() {
  const auto example = [](const Shape& x, double value) {
    return Example{{{{Type::float32, x}}, {{Type::boolean, x}}}, rate(value)};
  };
  return {example({5, 7}, 0.5), example({2, 3, 3}, 0.2)};
}

// Two flops per element are counted: the comparison with the rate and the product with the scale. Drawing the
// random words is integer work and counts nothing.
constexpr Kernel rows_of_random_kernels[] = {
    {.name = "dropout",
     .summary = "x, seed -> y, mask: y = x / (1 - rate) where the mask is true, else 0",
     .outputs = dropout_outputs,
     .work = [](const Call& call) { return work_per_output(call, 2); },
     .examples = dropout_examples,
     .apply = cpu::dropout},
    {.name = "dropout_gradient",
     .summary = "dy, mask -> dx",
     .outputs = dropout_gradient_outputs,
     .work = [](const Call& call) { return work_per_output(call, 1); },
     .examples = dropout_gradient_examples,
     .apply = cpu::dropout_gradient,
     .in_place = true},
    {.name = "uniform",
     .summary = "seed -> y: random numbers between 0 and a value",
     .outputs = uniform_outputs,
     .work = [](const Call& call) { return work_per_output(call, 1); },
     .examples = uniform_examples,
     .apply = cpu::uniform},
};

}  // namespace

std::span<const Kernel> random_kernels() { return rows_of_random_kernels; }

}  // namespace wt
