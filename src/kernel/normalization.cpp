#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

// Requires one number per channel. The channels are the last axis of x. Statistics, scales and shifts are float32 beside
// an x of halves.
void require_channels(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                      const TensorSpec& x) {
  require_type(kernel, operand, spec, wide_type(x.type));
  require_shape(kernel, operand, spec, {x.shape.last()});
}

TensorSpec per_channel(const TensorSpec& x) { return {wide_type(x.type), {x.shape.last()}}; }
TensorSpec statistics_per_row(const TensorSpec& x) { return {wide_type(x.type), per_row(x).shape}; }

void require_rows(std::string_view kernel, const TensorSpec& x) {
  require_floating(kernel, "x", x);
  require_rank_at_least(kernel, "x", x, 2);
}

const NormalizationAttributes& checked(std::string_view kernel, const Attributes& attributes) {
  const auto& result = attributes_as<NormalizationAttributes>(attributes);
  if (!(result.epsilon >= 0))
    refuse(kernel, fmt::format("epsilon is {}", result.epsilon), "it must be at least 0");
  if (!(result.momentum >= 0 && result.momentum <= 1))
    refuse(kernel, fmt::format("momentum is {}", result.momentum), "it must be from 0 to 1");
  return result;
}

std::vector<TensorSpec> softmax_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count("softmax", inputs, 1);
  require_floating("softmax", "x", inputs[0]);
  require_rank_at_least("softmax", "x", inputs[0], 1);
  return {inputs[0]};
}

std::vector<TensorSpec> softmax_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "softmax_gradient";
  attributes_as<NoAttributes>(attributes);
  require_count(name, inputs, 2);
  require_floating(name, "dy", inputs[0]);
  require_rank_at_least(name, "dy", inputs[0], 1);
  require_same(name, "dy", inputs[0], "y", inputs[1]);
  return {inputs[0]};
}

// Checks the operands of batch_norm and batch_norm_inference: x and four numbers per channel.
template <KernelName name>
void require_batch_norm(Specs inputs, const Attributes& attributes) {
  checked(name, attributes);
  require_count(name, inputs, 5);
  require_rows(name, inputs[0]);
  constexpr std::string_view operands[] = {"gamma", "beta", "mean", "variance"};
  for (std::size_t i = 0; i < 4; ++i) require_channels(name, operands[i], inputs[i + 1], inputs[0]);
}

std::vector<TensorSpec> batch_norm_outputs(Specs inputs, const Attributes& attributes) {
  require_batch_norm<"batch_norm">(inputs, attributes);
  const TensorSpec channels = per_channel(inputs[0]);
  return {inputs[0], channels, channels, channels, channels};
}

std::vector<TensorSpec> batch_norm_inference_outputs(Specs inputs, const Attributes& attributes) {
  require_batch_norm<"batch_norm_inference">(inputs, attributes);
  return {inputs[0]};
}

std::vector<TensorSpec> batch_norm_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "batch_norm_gradient";
  checked(name, attributes);
  require_count(name, inputs, 5);
  const TensorSpec& x = inputs[1];
  require_rows(name, x);
  require_same(name, "dy", inputs[0], "x", x);
  constexpr std::string_view operands[] = {"gamma", "mean", "inverse_deviation"};
  for (std::size_t i = 0; i < 3; ++i) require_channels(name, operands[i], inputs[i + 2], x);
  return {x, per_channel(x), per_channel(x)};
}

std::vector<TensorSpec> layer_norm_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "layer_norm";
  checked(name, attributes);
  require_count(name, inputs, 3);
  require_rows(name, inputs[0]);
  require_channels(name, "gamma", inputs[1], inputs[0]);
  require_channels(name, "beta", inputs[2], inputs[0]);
  return {inputs[0], statistics_per_row(inputs[0]), statistics_per_row(inputs[0])};
}

std::vector<TensorSpec> layer_norm_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "layer_norm_gradient";
  checked(name, attributes);
  require_count(name, inputs, 5);
  const TensorSpec& x = inputs[1];
  require_rows(name, x);
  require_same(name, "dy", inputs[0], "x", x);
  require_channels(name, "gamma", inputs[2], x);
  require_same(name, "mean", inputs[3], "a number per row of x", statistics_per_row(x));
  require_same(name, "inverse_deviation", inputs[4], "a number per row of x", statistics_per_row(x));
  return {x, per_channel(x), per_channel(x)};
}

// Flops per element, per row and per channel of the first output.
Work work_by_row(const Call& call, double per_element, double per_row, double per_channel) {
  const Shape& shape = call.outputs[0].shape;
  const auto rows = static_cast<double>(shape.elements(0, shape.rank() - 1));
  const auto channels = static_cast<double>(shape.last());
  const double flops = rows * channels * per_element + rows * per_row + channels * per_channel;
  return {Flops(std::max(0.0, flops)), operand_bytes(call), {}};  // 0 where there are no rows or channels
}

// A mean of n numbers takes n - 1 additions and a division, so one step per number. Per element: mean,
// distance to the mean, its square, variance, scale, shift. Per channel: three steps for the inverse
// deviation, one for the scale, three for each moving average, one for Bessel's correction.
Work batch_norm_work(const Call& call) {
  const auto& attributes = attributes_as<NormalizationAttributes>(call.attributes);
  return work_by_row(call, 6, 0, attributes.corrects_variance ? 11 : 10);
}

ExampleOperand numbers(const Shape& shape) { return {{Type::float32, shape}}; }
ExampleOperand positive(const Shape& shape) { return {{Type::float32, shape}, 0.5, 1.5}; }

std::vector<Example> softmax_examples() {
  return {{{numbers({2, 3, 5})}}, {{numbers({2, 19})}}, {{numbers({1})}}};
}
std::vector<Example> softmax_gradient_examples() {
  return {{{numbers({2, 3, 5}), positive({2, 3, 5})}}, {{numbers({2, 19}), positive({2, 19})}}};
}

Example with_channels(std::vector<ExampleOperand> operands) {
  return {std::move(operands), NormalizationAttributes{}};
}

std::vector<Example> batch_norm_examples() {
  const auto example = [](const Shape& x) {
    const Shape c{x.last()};
    return with_channels({numbers(x), positive(c), numbers(c), numbers(c), positive(c)});
  };
  Example corrected = example({2, 3, 3, 2});
  corrected.attributes = NormalizationAttributes{.corrects_variance = true};
  return {example({2, 3, 3, 2}), example({7, 5}), corrected};
}

std::vector<Example> batch_norm_gradient_examples() {
  const auto example = [](const Shape& x) {
    const Shape c{x.last()};
    return with_channels({numbers(x), numbers(x), positive(c), numbers(c), positive(c)});
  };
  return {example({2, 3, 3, 2}), example({7, 5})};
}

std::vector<Example> layer_norm_examples() {
  const auto example = [](const Shape& x) {
    return with_channels({numbers(x), positive({x.last()}), numbers({x.last()})});
  };
  return {example({2, 3, 5}), example({2, 19})};
}

std::vector<Example> layer_norm_gradient_examples() {
  const auto example = [](const Shape& x) {
    const Shape rows = x.without(x.rank() - 1);
    return with_channels({numbers(x), numbers(x), positive({x.last()}), numbers(rows), positive(rows)});
  };
  return {example({2, 3, 5}), example({2, 19})};
}

constexpr Kernel rows_of_normalization_kernels[] = {
    // Per element: maximum, difference, exp, sum, division. A maximum and a sum of n numbers take n - 1
    // steps.
    {.name = "softmax",
     .summary = "x -> y: exp(x) over its sum along the last axis",
     .outputs = softmax_outputs,
     .work = [](const Call& call) { return work_by_row(call, 5, -2, 0); },
     .examples = softmax_examples,
     .apply = cpu::softmax,
     .in_place = true},
    {.name = "softmax_gradient",
     .summary = "dy, y -> dx",
     .outputs = softmax_gradient_outputs,
     .work = [](const Call& call) { return work_by_row(call, 4, -1, 0); },
     .examples = softmax_gradient_examples,
     .apply = cpu::softmax_gradient,
     .in_place = true},
    {.name = "batch_norm",
     .summary = "x, gamma, beta, moving_mean, moving_variance -> y, mean, inverse_deviation, and both moving "
                "averages: "
                "training mode, with statistics over all axes except the last",
     .outputs = batch_norm_outputs,
     .work = batch_norm_work,
     .examples = batch_norm_examples,
     .apply = cpu::batch_norm,
     .workspace = cpu::batch_norm_workspace,
     .in_place = true},
    // Per element: the sum for dbeta; distance, product and sum for dgamma; two products and two sums for dx.
    // Per channel: the scale of dgamma and the coefficients of dx, less two, since two sums of n numbers take
    // n - 1 additions each.
    {.name = "batch_norm_gradient",
     .summary = "dy, x, gamma, mean, inverse_deviation -> dx, dgamma, dbeta",
     .outputs = batch_norm_gradient_outputs,
     .work = [](const Call& call) { return work_by_row(call, 8, 0, 5); },
     .examples = batch_norm_gradient_examples,
     .apply = cpu::batch_norm_gradient,
     .workspace = cpu::batch_norm_gradient_workspace,
     .in_place = true},
    {.name = "batch_norm_inference",
     .summary = "x, gamma, beta, mean, variance -> y: with the moving averages collected in training",
     .outputs = batch_norm_inference_outputs,
     .work = [](const Call& call) { return work_by_row(call, 3, 0, 3); },
     .examples = batch_norm_examples,
     .apply = cpu::batch_norm_inference,
     .workspace = cpu::batch_norm_inference_workspace,
     .in_place = true},
    // layer_norm does not work in place: its outputs mean and inverse_deviation may have the shapes of the
    // inputs gamma and beta, and gamma is read until the end.
    {.name = "layer_norm",
     .summary = "x, gamma, beta -> y, mean, inverse_deviation: statistics over the last axis",
     .outputs = layer_norm_outputs,
     .work = [](const Call& call) { return work_by_row(call, 7, 3, 0); },
     .examples = layer_norm_examples,
     .apply = cpu::layer_norm},
    // Per element: distance, its scaling, dy gamma, two means and a product, three steps for dgamma and
    // dbeta, four for dx.
    {.name = "layer_norm_gradient",
     .summary = "dy, x, gamma, mean, inverse_deviation -> dx, dgamma, dbeta",
     .outputs = layer_norm_gradient_outputs,
     .work = [](const Call& call) { return work_by_row(call, 13, 0, -2); },
     .examples = layer_norm_gradient_examples,
     .apply = cpu::layer_norm_gradient,
     .workspace = cpu::layer_norm_gradient_workspace},
};

}  // namespace

std::span<const Kernel> normalization_kernels() { return rows_of_normalization_kernels; }

}  // namespace wt
