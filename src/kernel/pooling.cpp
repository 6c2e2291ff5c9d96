#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"
#include "kernel/window.h"

namespace wt {
namespace {

SlidingWindow pooling_window(std::string_view kernel, const TensorSpec& images,
                             const Attributes& attributes) {
  const auto& window = attributes_as<WindowAttributes>(attributes);
  require_floating(kernel, "x", images);
  if (window.dilation != Shape{1, 1} || window.groups != 1)
    refuse(kernel, fmt::format("pooling has neither dilation nor groups: {}", print(attributes)),
           "leave both at 1");
  return slide(kernel, images, window);
}

TensorSpec pooled(std::string_view kernel, const TensorSpec& images, const Attributes& attributes) {
  const SlidingWindow window = pooling_window(kernel, images, attributes);
  return {images.type, {images.shape[0], window.height.output, window.width.output, images.shape[3]}};
}

template <KernelName name>
std::vector<TensorSpec> pool_outputs(Specs inputs, const Attributes& attributes) {
  require_count(name, inputs, 1);
  return {pooled(name, inputs[0], attributes)};
}

std::vector<TensorSpec> max_pool_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "max_pool_gradient";
  require_count(name, inputs, 3);
  const TensorSpec y = pooled(name, inputs[0], attributes);
  require_same(name, "y", inputs[1], "the pooled x", y);
  require_same(name, "dy", inputs[2], "y", inputs[1]);
  return {inputs[0]};
}

std::vector<TensorSpec> average_pool_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "average_pool_gradient";
  require_count(name, inputs, 1);
  const TensorSpec x{inputs[0].type, attributes_as<WindowAttributes>(attributes).input};
  require_same(name, "dy", inputs[0], "the pooled x", pooled(name, x, attributes));
  return {x};
}

double window_elements(const Attributes& attributes) {
  return static_cast<double>(attributes_as<WindowAttributes>(attributes).size.elements());
}

// One flop for every element of every window, padding included. `per_output` corrects the count for each
// output: a maximum of n elements takes n - 1 comparisons, and a gradient takes one step more.
Work pool_work(const Call& call, const TensorSpec& y, double per_output) {
  const double flops = static_cast<double>(y.elements()) * (window_elements(call.attributes) + per_output);
  return {Flops(flops), operand_bytes(call), {}};
}

ExampleOperand images(const Shape& shape) { return {{Type::float32, shape}}; }

WindowAttributes window(const Shape& size, const Shape& strides, Padding padding) {
  WindowAttributes attributes;
  attributes.size = size;
  attributes.strides = strides;
  attributes.padding = padding;
  return attributes;
}

struct PoolingCase {
  Shape x{}, y{};
  WindowAttributes attributes{};
};

// In this order: windows that tile the image; overlapping windows with odd padding; strides larger than the
// window.
std::vector<PoolingCase> cases() {
  return {{{2, 4, 4, 3}, {2, 2, 2, 3}, window({2, 2}, {2, 2}, Padding::valid)},
          {{1, 5, 4, 2}, {1, 3, 2, 2}, window({3, 3}, {2, 2}, Padding::same)},
          {{1, 5, 7, 1}, {1, 2, 2, 1}, window({1, 2}, {3, 4}, Padding::valid)}};
}

std::vector<Example> pool_examples() {
  std::vector<Example> examples;
  for (const PoolingCase& each : cases()) examples.push_back({{images(each.x)}, each.attributes});
  return examples;
}

std::vector<Example> max_pool_gradient_examples() {
  std::vector<Example> examples;
  for (const PoolingCase& each : cases())
    examples.push_back({{images(each.x), images(each.y), images(each.y)}, each.attributes});
  return examples;
}

std::vector<Example> average_pool_gradient_examples() {
  std::vector<Example> examples;
  for (PoolingCase& each : cases()) {
    each.attributes.input = each.x;
    examples.push_back({{images(each.y)}, each.attributes});
  }
  return examples;
}

constexpr Kernel rows_of_pooling_kernels[] = {
    {.name = "max_pool",
     .summary = "x -> y: the largest element of each window",
     .outputs = pool_outputs<"max_pool">,
     .work = [](const Call& call) { return pool_work(call, call.outputs[0], -1); },
     .examples = pool_examples,
     .apply = cpu::max_pool},
    {.name = "max_pool_gradient",
     .summary = "x, y, dy -> dx: each dy goes to the first largest element of its window",
     .outputs = max_pool_gradient_outputs,
     .work = [](const Call& call) { return pool_work(call, call.inputs[1], 1); },
     .examples = max_pool_gradient_examples,
     .apply = cpu::max_pool_gradient},
    {.name = "average_pool",
     .summary = "x -> y: the mean of each window, padding not counted",
     .outputs = pool_outputs<"average_pool">,
     .work = [](const Call& call) { return pool_work(call, call.outputs[0], 0); },
     .examples = pool_examples,
     .apply = cpu::average_pool},
    {.name = "average_pool_gradient",
     .summary = "dy -> dx: each dy is shared evenly in its window; the attribute input is the shape of x",
     .outputs = average_pool_gradient_outputs,
     .work = [](const Call& call) { return pool_work(call, call.inputs[0], 1); },
     .examples = average_pool_gradient_examples,
     .apply = cpu::average_pool_gradient},
};

}  // namespace

std::span<const Kernel> pooling_kernels() { return rows_of_pooling_kernels; }

}  // namespace wt
