#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {

namespace {

// The spec of the result when x is reduced over the axes in the attributes.
TensorSpec reduced(std::string_view kernel, const TensorSpec& x, const Attributes& attributes) {
  const auto& [axes, keep_dims] = attributes_as<AxesAttributes>(attributes);
  TensorSpec y{x.type, {}};
  int next = 0;  // in `axes`
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool is_reduced = next < axes.rank() && axes[next] == axis;
    if (is_reduced) ++next;
    if (!is_reduced || keep_dims) y.shape.append(is_reduced ? 1 : x.shape[axis]);
  }
  if (next < axes.rank())
    refuse(kernel, fmt::format("axes is {} and x is {}", print(axes), print(x)),
           "axes must be axes of x, ascending, each once");
  return y;
}

template <KernelName kernel>
std::vector<TensorSpec> number_outputs(Specs inputs, const Attributes& attributes) {
  require_count(kernel, inputs, 1);
  require_number(kernel, "x", inputs[0]);
  return {reduced(kernel, inputs[0], attributes)};
}

std::vector<TensorSpec> mean_outputs(Specs inputs, const Attributes& attributes) {
  require_count("reduce_mean", inputs, 1);
  require_floating("reduce_mean", "x", inputs[0]);
  return {reduced("reduce_mean", inputs[0], attributes)};
}

std::vector<TensorSpec> argmax_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count("argmax", inputs, 1);
  require_number("argmax", "x", inputs[0]);
  require_rank_at_least("argmax", "x", inputs[0], 1);
  if (inputs[0].shape.last() == 0)
    refuse("argmax", fmt::format("x has no columns: it is {}", print(inputs[0])));
  return {{Type::int64, inputs[0].shape.without(inputs[0].shape.rank() - 1)}};
}

// Reducing n numbers takes n - 1 steps. A mean takes one more, the division.
Work reduction_work(const Call& call) {
  const std::int64_t steps = call.inputs[0].elements() - call.outputs[0].elements();
  return {Flops(std::max<std::int64_t>(steps, 0)), operand_bytes(call), {}};
}

Work mean_work(const Call& call) {
  const Work sum = reduction_work(call);
  return {sum.flops + Flops(call.outputs[0].elements()), sum.bytes, {}};
}

// ---- Examples

Example reducing(const Shape& shape, const Shape& axes, bool keep_dims = false, Type type = Type::float32) {
  return {{{{type, shape}, -4, 4}}, AxesAttributes{axes, keep_dims}};
}

std::vector<Example> mean_examples() {
  return {reducing({3, 5}, {1}), reducing({3, 5}, {0}, true), reducing({2, 3, 4}, {0, 1, 2}),
          reducing({2, 3, 2, 4}, {0, 2}), reducing({2, 3, 2, 4}, {1, 3}, true)};
}

std::vector<Example> number_examples() {
  std::vector<Example> examples = mean_examples();
  examples.push_back(reducing({3, 5}, {0}, false, Type::int32));
  examples.push_back(reducing({40}, {0}, false, Type::int64));
  return examples;
}

std::vector<Example> argmax_examples() {
  return {{{{{Type::float32, {3, 5}}, -4, 4}}},
          {{{{Type::float32, {2, 2, 7}}, -4, 4}}},
          {{{{Type::int32, {6}}, -4, 4}}}};
}

constexpr Kernel rows_of_reduction_kernels[] = {
    {.name = "reduce_sum",
     .summary = "y = the sum over axes of x",
     .outputs = number_outputs<"reduce_sum">,
     .work = reduction_work,
     .examples = number_examples,
     .apply = cpu::apply_reduce_sum,
     .workspace = cpu::reduction_workspace},
    {.name = "reduce_mean",
     .summary = "y = the mean over axes of x",
     .outputs = mean_outputs,
     .work = mean_work,
     .examples = mean_examples,
     .apply = cpu::apply_reduce_mean,
     .workspace = cpu::reduction_workspace},
    {.name = "reduce_max",
     .summary = "y = the maximum over axes of x",
     .outputs = number_outputs<"reduce_max">,
     .work = reduction_work,
     .examples = number_examples,
     .apply = cpu::apply_reduce_max,
     .workspace = cpu::reduction_workspace},
    {.name = "argmax",
     .summary = "y = the index of the first maximum along the last axis of x",
     .outputs = argmax_outputs,
     .work = reduction_work,
     .examples = argmax_examples,
     .apply = cpu::apply_argmax},
};

}  // namespace

std::span<const Kernel> reduction_kernels() { return rows_of_reduction_kernels; }

}  // namespace wt
