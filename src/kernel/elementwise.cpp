#include "kernel/elementwise.h"

#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {

namespace {

template <int flops>
Work per_output(const Call& call) {
  return work_per_output(call, flops);
}

template <KernelName kernel>
std::vector<TensorSpec> unary_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(kernel, inputs, 1);
  require_floating(kernel, "x", inputs[0]);
  return {inputs[0]};
}

// The operands are dy and a tensor of the forward kernel: its output y or, for gelu, its input x.
template <KernelName kernel>
std::vector<TensorSpec> gradient_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(kernel, inputs, 2);
  require_floating(kernel, "dy", inputs[0]);
  require_same(kernel, "dy", inputs[0], "the second operand", inputs[1]);
  return {inputs[0]};
}

Shape require_broadcast(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                        std::string_view b_name, const TensorSpec& b) {
  require_number(kernel, a_name, a);
  require_same_type(kernel, a_name, a, b_name, b);
  return broadcast_shape(kernel, a_name, a, b_name, b);
}

template <KernelName kernel>
std::vector<TensorSpec> binary_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(kernel, inputs, 2);
  return {{inputs[0].type, require_broadcast(kernel, "a", inputs[0], "b", inputs[1])}};
}

template <KernelName kernel>
std::vector<TensorSpec> comparison_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(kernel, inputs, 2);
  return {{Type::boolean, require_broadcast(kernel, "a", inputs[0], "b", inputs[1])}};
}

std::vector<TensorSpec> select_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count("select", inputs, 3);
  require_type("select", "condition", inputs[0], Type::boolean);
  const TensorSpec values{inputs[1].type, require_broadcast("select", "a", inputs[1], "b", inputs[2])};
  return {{values.type, broadcast_shape("select", "condition", inputs[0], "a with b", values)}};
}

template <KernelName kernel>
std::vector<TensorSpec> bias_add_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(kernel, inputs, 2);
  require_floating(kernel, "x", inputs[0]);
  require_same_type(kernel, "x", inputs[0], "b", inputs[1]);
  require_rank_at_least(kernel, "x", inputs[0], 1);
  if (inputs[1].shape != Shape{inputs[0].shape.last()})
    refuse(kernel, fmt::format("x is {} and b is {}", print(inputs[0]), print(inputs[1])),
           "b must have one number for each element of x's last axis");
  return {inputs[0]};
}

std::vector<TensorSpec> cast_outputs(Specs inputs, const Attributes& attributes) {
  require_count("cast", inputs, 1);
  return {{attributes_as<CastAttributes>(attributes).type, inputs[0].shape}};
}

std::vector<TensorSpec> fill_outputs(Specs inputs, const Attributes& attributes) {
  require_count("fill", inputs, 0);
  return {attributes_as<FillAttributes>(attributes).spec};
}

std::vector<TensorSpec> range_outputs(Specs inputs, const Attributes& attributes) {
  require_count("range", inputs, 0);
  const TensorSpec& y = attributes_as<FillAttributes>(attributes).spec;
  require_rank("range", "y", y, 1);
  if (y.type == Type::boolean || y.type == Type::uint8)
    refuse("range", fmt::format("y is {}", print(y)), "it must be of floats, int32 or int64");
  return {y};
}

// ---- Examples

// With AVX-512, 15 floats leave one vector register partly empty; 17 fill one and begin another.
std::vector<Example> any_unary() {
  return {{{{{Type::float32, {3, 5}}, -3, 3}}},
          {{{{Type::float32, {17}}, -3, 3}}},
          {{{{Type::float32, {}}, -3, 3}}}};
}

std::vector<Example> positive_unary() {
  return {{{{{Type::float32, {3, 5}}, 0.5, 3}}}, {{{{Type::float32, {17}}, 0.5, 3}}}};
}

// The second example's y lies in [0, 1), as an output of sigmoid does. The other gradients accept any y.
std::vector<Example> gradient_examples() {
  return {{{{{Type::float32, {3, 5}}, -2, 2}, {{Type::float32, {3, 5}}, -1, 1}}},
          {{{{Type::float32, {17}}, -2, 2}, {{Type::float32, {17}}, 0, 1}}}};
}

std::vector<Example> broadcast_examples(Type type, double low, double high) {
  const auto call = [&](const Shape& a, const Shape& b) {
    return Example{{{{type, a}, -4, 4}, {{type, b}, low, high}}};
  };
  return {call({3, 5}, {3, 5}), call({17}, {}),          call({}, {2, 3}),    call({4, 1, 5}, {5}),
          call({4, 1}, {4, 6}), call({2, 1, 3}, {4, 1}), call({1, 3}, {3, 1})};
}

std::vector<Example> any_pair() {
  std::vector<Example> examples = broadcast_examples(Type::float32, -4, 4);
  examples.push_back({{{{Type::int32, {2, 3}}, -4, 4}, {{Type::int32, {3}}, -4, 4}}});
  examples.push_back({{{{Type::int64, {2, 1}}, -4, 4}, {{Type::int64, {3}}, -4, 4}}});
  return examples;
}

std::vector<Example> division_examples() {
  std::vector<Example> examples = broadcast_examples(Type::float32, 0.5, 3);
  examples.push_back({{{{Type::int32, {2, 3}}, -9, 9}, {{Type::int32, {3}}, 1, 5}}});
  return examples;
}

std::vector<Example> select_examples() {
  const auto call = [](const Shape& condition, const Shape& a, const Shape& b) {
    return Example{{{{Type::boolean, condition}, 0, 2}, {{Type::float32, a}}, {{Type::float32, b}}}};
  };
  return {call({3, 5}, {3, 5}, {3, 5}), call({3, 1}, {3, 5}, {}), call({5}, {2, 1}, {2, 5})};
}

std::vector<Example> bias_add_examples() {
  return {{{{{Type::float32, {3, 5}}}, {{Type::float32, {5}}}}},
          {{{{Type::float32, {2, 2, 3, 4}}}, {{Type::float32, {4}}}}}};
}

std::vector<Example> cast_examples() {
  return {{{{{Type::float32, {3, 5}}, -3, 3}}, CastAttributes{Type::float64}},
          {{{{Type::float32, {3, 5}}, -3, 3}}, CastAttributes{Type::int32}},
          {{{{Type::int64, {7}}, -3, 3}}, CastAttributes{Type::float32}},
          {{{{Type::uint8, {2, 2}}, 0, 3}}, CastAttributes{Type::boolean}}};
}

std::vector<Example> fill_examples() {
  return {{{}, FillAttributes{{Type::float32, {3, 5}}, 0.25}}, {{}, FillAttributes{{Type::int64, {}}, 7}}};
}

std::vector<Example> range_examples() {
  return {{{}, FillAttributes{{Type::float32, {17}}, 0.25}},
          {{}, FillAttributes{{Type::int32, {5}}, 3}},
          {{}, FillAttributes{{Type::int64, {0}}, 3}}};
}

// ---- Rows

template <KernelName kernel, Unary operation, int flops, auto examples = any_unary>
constexpr Kernel unary_row(std::string_view summary) {
  return {
      .name = kernel,
      .summary = summary,
      .outputs = unary_outputs<kernel>,
      .work = per_output<flops>,
      .examples = examples,
      .apply = [](const Numbers& n, device::Workers& workers) { cpu::apply_unary(operation, n, workers); },
      .in_place = true};
}

template <Binary operation>
void apply_binary(const Numbers& numbers, device::Workers& workers) {
  cpu::apply_binary(operation, numbers, workers);
}

template <KernelName kernel, Binary operation, int flops>
constexpr Kernel gradient_row(std::string_view summary) {
  return {.name = kernel,
          .summary = summary,
          .outputs = gradient_outputs<kernel>,
          .work = per_output<flops>,
          .examples = gradient_examples,
          .apply = apply_binary<operation>,
          .in_place = true};
}

template <KernelName kernel, Binary operation, auto examples = any_pair>
constexpr Kernel binary_row(std::string_view summary) {
  return {.name = kernel,
          .summary = summary,
          .outputs = binary_outputs<kernel>,
          .work = per_output<1>,
          .examples = examples,
          .apply = apply_binary<operation>,
          .in_place = true};
}

template <KernelName kernel, Binary operation, int flops>
constexpr Kernel bias_row(std::string_view summary) {
  return {.name = kernel,
          .summary = summary,
          .outputs = bias_add_outputs<kernel>,
          .work = per_output<flops>,
          .examples = bias_add_examples,
          .apply = apply_binary<operation>,
          .in_place = true};
}

template <KernelName kernel, Comparison operation>
constexpr Kernel comparison_row(std::string_view summary) {
  return {.name = kernel,
          .summary = summary,
          .outputs = comparison_outputs<kernel>,
          .work = per_output<1>,
          .examples = any_pair,
          .apply = [](const Numbers& n, device::Workers& workers) {
            cpu::apply_comparison(operation, n, workers);
          }};
}

constexpr Kernel rows_of_elementwise_kernels[] = {
    unary_row<"negate", Unary::negate, 1>("y = -x"),
    unary_row<"exp", Unary::exp, 1>("y = e^x"),
    unary_row<"log", Unary::log, 1, positive_unary>("y = ln x"),
    unary_row<"sqrt", Unary::sqrt, 1, positive_unary>("y = square root of x"),
    unary_row<"square", Unary::square, 1>("y = x^2"),
    unary_row<"abs", Unary::abs, 1>("y = |x|"),
    unary_row<"sign", Unary::sign, 1>("y = -1, 0 or 1, the sign of x"),
    unary_row<"relu", Unary::relu, 1>("y = max(x, 0)"),
    unary_row<"relu6", Unary::relu6, 2>("y = min(max(x, 0), 6)"),
    unary_row<"sigmoid", Unary::sigmoid, 4>("y = 1 / (1 + e^-x)"),
    unary_row<"tanh", Unary::tanh, 5>("y = 1 - 2 / (e^2x + 1)"),
    unary_row<"gelu", Unary::gelu, 5>("y = x/2 (1 + erf(x / sqrt 2))"),

    gradient_row<"relu_gradient", Binary::relu_gradient, 1>("(dy, y): dx = dy where y > 0, else 0"),
    gradient_row<"relu6_gradient", Binary::relu6_gradient, 2>("(dy, y): dx = dy where 0 < y < 6, else 0"),
    gradient_row<"sigmoid_gradient", Binary::sigmoid_gradient, 3>("(dy, y): dx = dy y (1 - y)"),
    gradient_row<"tanh_gradient", Binary::tanh_gradient, 3>("(dy, y): dx = dy (1 - y^2)"),
    gradient_row<"gelu_gradient", Binary::gelu_gradient, 11>(
        "(dy, x): dx = dy (Phi(x) + x phi(x)), of the normal distribution"),

    binary_row<"add", Binary::add>("c = a + b, broadcasting"),
    binary_row<"subtract", Binary::subtract>("c = a - b, broadcasting"),
    binary_row<"multiply", Binary::multiply>("c = a b, broadcasting"),
    binary_row<"divide", Binary::divide, division_examples>("c = a / b, broadcasting; integers towards zero"),
    binary_row<"maximum", Binary::maximum>("c = the larger of a and b, broadcasting"),
    binary_row<"minimum", Binary::minimum>("c = the smaller of a and b, broadcasting"),

    comparison_row<"equal", Comparison::equal>("c = whether a = b, broadcasting"),
    comparison_row<"less", Comparison::less>("c = whether a < b, broadcasting"),
    comparison_row<"greater", Comparison::greater>("c = whether a > b, broadcasting"),

    {.name = "select",
     .summary = "(condition, a, b): c = a where condition, else b, broadcasting",
     .outputs = select_outputs,
     .work = per_output<0>,
     .examples = select_examples,
     .apply = cpu::apply_select},
    bias_row<"bias_add", Binary::add, 1>("(x, b): y = x + b, where b runs along the last axis"),
    bias_row<"bias_add_relu", Binary::add_relu, 2>("(x, b): y = relu(x + b), in one pass (kernel/fused.h)"),
    bias_row<"bias_add_sigmoid", Binary::add_sigmoid, 5>("(x, b): y = sigmoid(x + b), in one pass"),
    bias_row<"bias_add_tanh", Binary::add_tanh, 6>("(x, b): y = tanh(x + b), in one pass"),
    bias_row<"bias_add_gelu", Binary::add_gelu, 6>("(x, b): y = gelu(x + b), in one pass"),
    {.name = "cast",
     .summary = "y = x, converted to another type",
     .outputs = cast_outputs,
     .work = per_output<0>,
     .examples = cast_examples,
     .apply = cpu::apply_cast,
     .takes_halves = true},
    {.name = "fill",
     .summary = "y = the same value in every element",
     .outputs = fill_outputs,
     .work = per_output<0>,
     .examples = fill_examples,
     .apply = cpu::apply_fill,
     .takes_halves = true},
    {.name = "range",
     .summary = "y[i] = i * value",
     .outputs = range_outputs,
     .work = per_output<1>,
     .examples = range_examples,
     .apply = cpu::apply_range},
};

}  // namespace

std::span<const Kernel> elementwise_kernels() { return rows_of_elementwise_kernels; }

}  // namespace wt
