#include "kernel/convolution.h"

#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"
#include "kernel/window.h"

namespace wt {
namespace {

using Pass = ConvolutionGeometry::Pass;

void require_groups(std::string_view kernel, const TensorSpec& x, const Shape& filter, std::int64_t groups) {
  if (groups < 1) refuse(kernel, fmt::format("groups is {}", groups), "it must be at least 1");
  if (x.shape[3] % groups != 0 || filter[3] % groups != 0)
    refuse(kernel, fmt::format("{} groups don't divide both {} input and {} output channels", groups,
                               x.shape[3], filter[3]));
  if (filter[2] != x.shape[3] / groups)
    refuse(kernel,
           fmt::format("the channels differ: x is {}, the filter is {} in {} group{}", print(x),
                       print(filter), groups, groups == 1 ? "" : "s"),
           "the filter's third extent must be x's last extent divided by groups");
}

// The spec of y. Throws InputError where x and the filter do not fit together.
TensorSpec convolved(std::string_view kernel, const TensorSpec& x, const Shape& filter,
                     const WindowAttributes& attributes) {
  require_floating(kernel, "x", x);
  const SlidingWindow window = slide(kernel, x, attributes);
  require_groups(kernel, x, filter, attributes.groups);
  return {x.type, {x.shape[0], window.height.output, window.width.output, filter[3]}};
}

void require_filter(std::string_view kernel, const TensorSpec& filter, const WindowAttributes& attributes) {
  require_rank(kernel, "filter", filter, 4);
  if (Shape{filter.shape[0], filter.shape[1]} != attributes.size)
    refuse(kernel, fmt::format("the filter is {}, and size is {}", print(filter), print(attributes.size)),
           "the first two extents of the filter must be the size");
}

std::vector<TensorSpec> conv2d_outputs(Specs inputs, const Attributes& attributes) {
  const auto& window = attributes_as<WindowAttributes>(attributes);
  require_count("conv2d", inputs, 2);
  require_same_type("conv2d", "x", inputs[0], "filter", inputs[1]);
  require_filter("conv2d", inputs[1], window);
  return {convolved("conv2d", inputs[0], inputs[1].shape, window)};
}

std::vector<TensorSpec> conv2d_input_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "conv2d_input_gradient";
  const auto& window = attributes_as<WindowAttributes>(attributes);
  require_count(name, inputs, 2);
  require_filter(name, inputs[0], window);
  const TensorSpec x{inputs[0].type, window.input};
  require_same(name, "dy", inputs[1], "the convolved x", convolved(name, x, inputs[0].shape, window));
  return {x};
}

std::vector<TensorSpec> conv2d_filter_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "conv2d_filter_gradient";
  const auto& window = attributes_as<WindowAttributes>(attributes);
  require_count(name, inputs, 2);
  const TensorSpec &x = inputs[0], &dy = inputs[1];
  require_rank(name, "x", x, 4);
  require_rank(name, "dy", dy, 4);
  slide(name, x, window);
  const std::int64_t channels = window.groups > 0 ? x.shape[3] / window.groups : 0;
  const Shape filter{window.size[0], window.size[1], channels, dy.shape[3]};
  require_same(name, "dy", dy, "the convolved x", convolved(name, x, filter, window));
  return {{x.type, filter}};
}

// Products with padding are counted like any others, since the published flops of well-known networks count
// them.
template <Pass pass>
Work convolution_work(const Call& call) {
  const auto& window = attributes_as<WindowAttributes>(call.attributes);
  const ConvolutionShapes s =
      convolution_shapes(pass, call.inputs[0].shape, call.inputs[1].shape, call.outputs[0].shape);
  const ConvolutionGeometry g{.pass = pass,
                              .batch = s.x[0],
                              .in_height = s.x[1],
                              .in_width = s.x[2],
                              .in_channels = s.x[3],
                              .out_height = s.y[1],
                              .out_width = s.y[2],
                              .out_channels = s.y[3],
                              .window_height = s.filter[0],
                              .window_width = s.filter[1],
                              .stride_height = window.strides[0],
                              .stride_width = window.strides[1],
                              .groups = window.groups};
  const double flops = 2 * static_cast<double>(s.y.elements()) * static_cast<double>(s.filter.elements(0, 3));
  return {Flops(flops), operand_bytes(call), g};
}

struct ConvolutionCase {
  Shape x{}, filter{}, y{};
  WindowAttributes attributes{};
};

// In this order: no padding and stride 1; strides with odd padding; dilation; two groups; a filter of one
// pixel with a stride that skips pixels.
std::vector<ConvolutionCase> cases() {
  const auto window = [](const Shape& size, const Shape& strides, Padding padding) {
    WindowAttributes attributes;
    attributes.size = size;
    attributes.strides = strides;
    attributes.padding = padding;
    return attributes;
  };
  std::vector<ConvolutionCase> result{
      {{2, 4, 4, 1}, {3, 3, 1, 2}, {2, 2, 2, 2}, window({3, 3}, {1, 1}, Padding::valid)},
      {{1, 5, 4, 2}, {3, 2, 2, 3}, {1, 3, 2, 3}, window({3, 2}, {2, 2}, Padding::same)},
      {{1, 5, 6, 1}, {2, 2, 1, 2}, {1, 5, 6, 2}, window({2, 2}, {1, 1}, Padding::same)},
      {{1, 3, 3, 4}, {2, 2, 2, 2}, {1, 2, 2, 2}, window({2, 2}, {1, 1}, Padding::valid)},
      {{1, 5, 3, 2}, {1, 1, 2, 2}, {1, 3, 2, 2}, window({1, 1}, {2, 2}, Padding::valid)}};
  result[2].attributes.dilation = {2, 2};
  result[3].attributes.groups = 2;
  return result;
}

template <Pass pass>
std::vector<Example> convolution_examples() {
  std::vector<Example> examples;
  for (ConvolutionCase& each : cases()) {
    const ExampleOperand x{{Type::float32, each.x}}, filter{{Type::float32, each.filter}},
        y{{Type::float32, each.y}};
    if (pass == Pass::input_gradient) each.attributes.input = each.x;
    if (pass == Pass::forward) examples.push_back({{x, filter}, each.attributes});
    if (pass == Pass::input_gradient) examples.push_back({{filter, y}, each.attributes});
    if (pass == Pass::filter_gradient) examples.push_back({{x, y}, each.attributes});
  }
  return examples;
}

constexpr Kernel rows_of_convolution_kernels[] = {
    {.name = "conv2d",
     .summary = "x[n, h, w, c], filter[kh, kw, c / groups, d] -> y[n, h', w', d]",
     .outputs = conv2d_outputs,
     .work = convolution_work<Pass::forward>,
     .examples = convolution_examples<Pass::forward>,
     .apply = cpu::convolution<Pass::forward>,
     .workspace = cpu::convolution_workspace<Pass::forward>},
    {.name = "conv2d_input_gradient",
     .summary = "filter, dy -> dx; the attribute input is the shape of x",
     .outputs = conv2d_input_gradient_outputs,
     .work = convolution_work<Pass::input_gradient>,
     .examples = convolution_examples<Pass::input_gradient>,
     .apply = cpu::convolution<Pass::input_gradient>,
     .workspace = cpu::convolution_workspace<Pass::input_gradient>},
    {.name = "conv2d_filter_gradient",
     .summary = "x, dy -> dfilter",
     .outputs = conv2d_filter_gradient_outputs,
     .work = convolution_work<Pass::filter_gradient>,
     .examples = convolution_examples<Pass::filter_gradient>,
     .apply = cpu::convolution<Pass::filter_gradient>,
     .workspace = cpu::convolution_workspace<Pass::filter_gradient>},
};

}  // namespace

ConvolutionShapes convolution_shapes(Pass pass, const Shape& first, const Shape& second,
                                     const Shape& result) {
  switch (pass) {
    case Pass::forward:
      return {first, second, result};
    case Pass::input_gradient:
      return {result, first, second};
    case Pass::filter_gradient:
      return {first, result, second};
  }
  return {};
}

std::span<const Kernel> convolution_kernels() { return rows_of_convolution_kernels; }

}  // namespace wt
