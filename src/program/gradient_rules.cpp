// The gradient of each kernel, written with other kernels. The formulas are textbook calculus.
// tests/property/kernel_test.cpp compares every rule with central differences.
#include "program/gradient_rules.h"

#include <algorithm>
#include <array>

namespace wt {

namespace {

// ---- elementwise

void negate(Backward& b) { b.send(0, b.apply("negate", {b.gradient()})); }
void exp(Backward& b) { b.send(0, b.apply("multiply", {b.gradient(), b.output()})); }
void log(Backward& b) { b.send(0, b.apply("divide", {b.gradient(), b.input()})); }
void sqrt(Backward& b) { b.send(0, b.apply("divide", {b.gradient(), b.scaled(b.output(), 2.0)})); }
void square(Backward& b) { b.send(0, b.apply("multiply", {b.gradient(), b.scaled(b.input(), 2.0)})); }
void abs(Backward& b) { b.send(0, b.apply("multiply", {b.gradient(), b.apply("sign", {b.input()})})); }
void sign(Backward& b) { b.send(0, b.constant(b.spec(b.input()), 0.0)); }
void relu(Backward& b) { b.send(0, b.apply("relu_gradient", {b.gradient(), b.output()})); }
void relu6(Backward& b) { b.send(0, b.apply("relu6_gradient", {b.gradient(), b.output()})); }
void sigmoid(Backward& b) { b.send(0, b.apply("sigmoid_gradient", {b.gradient(), b.output()})); }
void tanh(Backward& b) { b.send(0, b.apply("tanh_gradient", {b.gradient(), b.output()})); }
void gelu(Backward& b) { b.send(0, b.apply("gelu_gradient", {b.gradient(), b.input()})); }

void add(Backward& b) {
  for (std::size_t i : {0, 1})
    if (b.wants(i)) b.send_summed(i, b.gradient());
}

void subtract(Backward& b) {
  if (b.wants(0)) b.send_summed(0, b.gradient());
  if (b.wants(1)) b.send_summed(1, b.apply("negate", {b.gradient()}));
}

void multiply(Backward& b) {
  if (b.wants(0)) b.send_summed(0, b.apply("multiply", {b.gradient(), b.input(1)}));
  if (b.wants(1)) b.send_summed(1, b.apply("multiply", {b.gradient(), b.input(0)}));
}

void divide(Backward& b) {
  const ValueId quotient = b.apply("divide", {b.gradient(), b.input(1)});
  if (b.wants(0)) b.send_summed(0, quotient);
  if (b.wants(1)) b.send_summed(1, b.apply("negate", {b.apply("multiply", {quotient, b.output()})}));
}

// The gradient goes to the operand that was chosen, which is the first one if both are equal.
void choose(Backward& b, ValueId second_won) {
  const ValueId zero = b.constant({b.spec(b.output()).type, {}}, 0.0);
  if (b.wants(0)) b.send_summed(0, b.apply("select", {second_won, zero, b.gradient()}));
  if (b.wants(1)) b.send_summed(1, b.apply("select", {second_won, b.gradient(), zero}));
}
void maximum(Backward& b) { choose(b, b.apply("less", {b.input(0), b.input(1)})); }
void minimum(Backward& b) { choose(b, b.apply("greater", {b.input(0), b.input(1)})); }

void select(Backward& b) {
  const ValueId zero = b.constant({b.spec(b.output()).type, {}}, 0.0);
  if (b.wants(1)) b.send_summed(1, b.apply("select", {b.input(0), b.gradient(), zero}));
  if (b.wants(2)) b.send_summed(2, b.apply("select", {b.input(0), zero, b.gradient()}));
}

void bias_add(Backward& b) {
  if (b.wants(0)) b.send(0, b.gradient());
  if (b.wants(1)) b.send_summed(1, b.gradient());
}

void cast(Backward& b) { b.send(0, b.apply("cast", {b.gradient()}, CastAttributes{b.spec(b.input()).type})); }

// ---- shaping

void transpose(Backward& b) {
  const Shape& order = b.attributes<ShapeAttributes>().shape;
  Shape inverse = order;
  for (int axis = 0; axis < order.rank(); ++axis) inverse[static_cast<int>(order[axis])] = axis;
  b.send(0, b.apply("transpose", {b.gradient()}, ShapeAttributes{inverse}));
}

void concat(Backward& b) {
  const std::vector<ValueId> parts = b.apply_all("split", {b.gradient()}, b.attributes<PartsAttributes>());
  for (std::size_t i = 0; i < b.inputs(); ++i)
    if (b.wants(i)) b.send(i, parts[i]);
}

void split(Backward& b) {
  const auto& attributes = b.attributes<PartsAttributes>();
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(attributes.sizes.rank()); ++i)
    parts.push_back(b.gradient(i));
  b.send(0, b.apply("concat", parts, attributes));
}

void broadcast_to(Backward& b) { b.send_summed(0, b.gradient()); }

// ---- reductions

Shape kept_dims(const Shape& shape, const Shape& axes) {
  Shape kept = shape;
  for (const std::int64_t axis : axes) kept[static_cast<int>(axis)] = 1;
  return kept;
}

// Broadcasts one number per result of a reduction to the elements that were reduced.
ValueId spread(Backward& b, ValueId value) {
  const Shape target = b.shape(b.input());
  const ValueId kept = b.reshape(value, kept_dims(target, b.attributes<AxesAttributes>().axes));
  return b.apply("broadcast_to", {kept}, ShapeAttributes{target});
}

void reduce_sum(Backward& b) { b.send(0, spread(b, b.gradient())); }

void reduce_mean(Backward& b) {
  const double group = static_cast<double>(b.shape(b.input()).elements()) /
                       static_cast<double>(std::max<std::int64_t>(1, b.shape(b.output()).elements()));
  // As in TensorFlow the gradient is divided: among halves, 1 / group would be rounded before the product is.
  b.send(0, spread(b, b.divided(b.gradient(), group)));
}

// As in TensorFlow, the gradient is shared evenly among the elements that equal the maximum.
void reduce_max(Backward& b) {
  const Type type = b.spec(b.input()).type;
  const ValueId is_maximum = b.apply("equal", {b.input(), spread(b, b.output())});
  const ValueId winners = b.apply("cast", {is_maximum}, CastAttributes{type});
  AxesAttributes axes = b.attributes<AxesAttributes>();
  axes.keep_dims = true;
  const ValueId count = b.apply("reduce_sum", {winners}, axes);
  const ValueId kept = b.reshape(b.gradient(), kept_dims(b.shape(b.input()), axes.axes));
  b.send(0, b.apply("multiply", {winners, b.apply("divide", {kept, count})}));
}

// ---- contractions

struct Factor {
  ValueId value{};
  bool transposed = false;
};

ValueId product(Backward& b, Factor left, Factor right) {
  return b.apply("matmul", {left.value, right.value}, ProductAttributes{left.transposed, right.transposed});
}

// The case of a [.., m, k] and b [k, n]. All rows of a are multiplied with b, so the gradient of b is one
// product over all of them.
void shared_matmul(Backward& b) {
  const bool transposed = b.attributes<ProductAttributes>().transpose_b;
  const ValueId dc = b.gradient();
  if (b.wants(0)) b.send(0, product(b, {dc}, {b.input(1), !transposed}));
  if (!b.wants(1)) return;
  const auto rows = [&](ValueId value) {
    const Shape& shape = b.shape(value);
    return b.reshape(value, {shape.elements(0, shape.rank() - 1), shape.last()});
  };
  const ValueId a_rows = rows(b.input(0));
  const ValueId dc_rows = rows(dc);
  b.send(1, transposed ? product(b, {dc_rows, true}, {a_rows}) : product(b, {a_rows, true}, {dc_rows}));
}

void matmul(Backward& b) {
  if (b.shape(b.input(0)).rank() != b.shape(b.input(1)).rank()) return shared_matmul(b);
  const auto [ta, tb] = b.attributes<ProductAttributes>();
  const ValueId dc = b.gradient();
  if (b.wants(0))
    b.send(0, ta ? product(b, {b.input(1), tb}, {dc, true}) : product(b, {dc}, {b.input(1), !tb}));
  if (b.wants(1))
    b.send(1, tb ? product(b, {dc, true}, {b.input(0), ta}) : product(b, {b.input(0), !ta}, {dc}));
}

void conv2d(Backward& b) {
  WindowAttributes window = b.attributes<WindowAttributes>();
  if (b.wants(1)) b.send(1, b.apply("conv2d_filter_gradient", {b.input(0), b.gradient()}, window));
  window.input = b.shape(b.input(0));
  if (b.wants(0)) b.send(0, b.apply("conv2d_input_gradient", {b.input(1), b.gradient()}, window));
}

// The transpose of a convolution is a linear function of both operands: of y the gradient is the convolution itself,
// and of the filter it is the gradient of a convolution whose input is the upstream gradient.
void conv2d_input_gradient(Backward& b) {
  WindowAttributes window = b.attributes<WindowAttributes>();
  window.input = {};
  if (b.wants(0)) b.send(0, b.apply("conv2d_filter_gradient", {b.gradient(), b.input(1)}, window));
  if (b.wants(1)) b.send(1, b.apply("conv2d", {b.gradient(), b.input(0)}, window));
}

// ---- pooling, normalization

void max_pool(Backward& b) {
  b.send(0, b.apply("max_pool_gradient", {b.input(), b.output(), b.gradient()},
                    b.attributes<WindowAttributes>()));
}

void average_pool(Backward& b) {
  WindowAttributes window = b.attributes<WindowAttributes>();
  window.input = b.shape(b.input());
  b.send(0, b.apply("average_pool_gradient", {b.gradient()}, window));
}

void softmax(Backward& b) { b.send(0, b.apply("softmax_gradient", {b.gradient(), b.output()})); }

// Only y passes a gradient on. The moving averages, outputs 3 and 4, are new values of variables. A later call
// of the layer may read them, and as in TensorFlow no gradient leads through the assignment of a variable. On
// the other statistics no loss depends.
void batch_norm(Backward& b) {
  for (std::size_t output = 1; output < 3; ++output)
    if (b.has_gradient(output))
      throw InputError("[gradient] the statistics of batch_norm have no gradient",
                       "a loss may depend on its first output only");
  if (!b.has_gradient(0)) return;
  const std::vector<ValueId> gradients =
      b.apply_all("batch_norm_gradient", {b.gradient(), b.input(0), b.input(1), b.output(1), b.output(2)},
                  b.attributes<NormalizationAttributes>());
  for (std::size_t i : {0, 1, 2})
    if (b.wants(i)) b.send(i, gradients[i]);
}

// y = (x - mean) * gamma / sqrt(variance + epsilon) + beta. Mean and variance are inputs and have gradients,
// too.
void batch_norm_inference(Backward& b) {
  const ValueId dy = b.gradient();
  const ValueId epsilon =
      b.constant({b.spec(b.input()).type, {}}, b.attributes<NormalizationAttributes>().epsilon);
  const ValueId deviation = b.apply("sqrt", {b.apply("add", {b.input(4), epsilon})});
  const ValueId centred = b.apply("subtract", {b.input(0), b.input(3)});
  const ValueId scale = b.apply("divide", {b.input(1), deviation});
  const ValueId dx = b.apply("multiply", {dy, scale});
  if (b.wants(0)) b.send(0, dx);
  if (b.wants(1)) b.send_summed(1, b.apply("multiply", {dy, b.apply("divide", {centred, deviation})}));
  if (b.wants(2)) b.send_summed(2, dy);
  if (b.wants(3)) b.send_summed(3, b.apply("negate", {dx}));
  if (!b.wants(4)) return;
  const ValueId variance = b.apply("add", {b.input(4), epsilon});
  const ValueId slope = b.apply("divide", {b.apply("multiply", {dx, centred}), variance});
  b.send_summed(4, b.scaled(slope, -0.5));
}

void layer_norm(Backward& b) {
  const std::vector<ValueId> gradients =
      b.apply_all("layer_norm_gradient", {b.gradient(), b.input(0), b.input(1), b.output(1), b.output(2)},
                  b.attributes<NormalizationAttributes>());
  for (std::size_t i : {0, 1, 2})
    if (b.wants(i)) b.send(i, gradients[i]);
}

// ---- dropout, embedding

void dropout(Backward& b) {
  b.send(0, b.apply("dropout_gradient", {b.gradient(), b.output(1)}, b.attributes<DropoutAttributes>()));
}

void embedding(Backward& b) {
  b.send(1, b.apply("embedding_gradient", {b.input(0), b.gradient()}, ShapeAttributes{b.shape(b.input(1))}));
}

// ---- recurrent layers

// The results of a gradient kernel in their order: those of z, the recurrent kernel, the bias if there is one,
// and the states. A mask has no gradient, and no loss depends on the reserve, the last output.
void recurrent(Backward& b, std::string_view kernel, std::size_t states) {
  const auto& attributes = b.attributes<RecurrentAttributes>();
  if (b.has_gradient(states + 1))
    throw InputError("[gradient] the reserve of a recurrent kernel has no gradient",
                     "a loss may depend on its outputs and states only");
  std::vector<ValueId> operands{b.gradient(), b.input(1)};
  for (std::size_t state = 1; state <= states; ++state) operands.push_back(b.gradient(state));
  operands.push_back(b.output(states + 1));
  const std::size_t masks = std::size_t{attributes.state_dropout > 0} + std::size_t{attributes.is_masked};
  for (std::size_t i = b.inputs() - masks; i < b.inputs(); ++i) operands.push_back(b.input(i));
  const std::vector<ValueId> gradients = b.apply_all(kernel, operands, attributes);
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (b.wants(i)) b.send(i, gradients[i]);
}
void simple_rnn(Backward& b) { recurrent(b, "simple_rnn_gradient", 1); }
void gru(Backward& b) { recurrent(b, "gru_gradient", 1); }
void lstm(Backward& b) { recurrent(b, "lstm_gradient", 2); }

// ---- losses

// Reshapes one number per row so that it is broadcast to the elements of the row.
ValueId per_row(Backward& b, ValueId rows) {
  Shape column = b.shape(rows);
  column.append(1);
  return b.reshape(rows, column);
}

void sparse_softmax_cross_entropy(Backward& b) {
  b.send(0, b.apply("multiply", {b.output(1), per_row(b, b.gradient())}));
}

void softmax_cross_entropy(Backward& b) {
  const ValueId upstream = per_row(b, b.gradient());
  if (b.wants(0)) b.send(0, b.apply("multiply", {b.output(1), upstream}));
  if (!b.wants(1)) return;
  const ValueId log_probability = b.apply("log", {b.apply("softmax", {b.input(0)})});
  b.send(1, b.apply("multiply", {b.apply("negate", {log_probability}), upstream}));
}

void mean_squared_error(Backward& b) {
  const ValueId gradient = b.apply("mean_squared_error_gradient", {b.gradient(), b.input(0), b.input(1)});
  if (b.wants(0)) b.send(0, gradient);
  if (b.wants(1)) b.send(1, b.apply("negate", {gradient}));
}

void binary_cross_entropy(Backward& b) {
  if (b.wants(0)) b.send(0, b.apply("binary_cross_entropy_gradient", {b.gradient(), b.input(0), b.input(1)}));
  if (!b.wants(1)) return;
  const ValueId upstream =
      b.scaled(per_row(b, b.gradient()), -1.0 / static_cast<double>(b.shape(b.input(0)).last()));
  b.send(1, b.apply("multiply", {b.input(0), upstream}));
}

constexpr std::array rules{
    GradientRule{"abs", abs},
    GradientRule{"add", add},
    GradientRule{"average_pool", average_pool},
    GradientRule{"batch_norm", batch_norm},
    GradientRule{"batch_norm_inference", batch_norm_inference},
    GradientRule{"bias_add", bias_add},
    GradientRule{"binary_cross_entropy", binary_cross_entropy},
    GradientRule{"broadcast_to", broadcast_to},
    GradientRule{"cast", cast},
    GradientRule{"concat", concat},
    GradientRule{"conv2d", conv2d},
    GradientRule{"conv2d_input_gradient", conv2d_input_gradient},
    GradientRule{"divide", divide},
    GradientRule{"dropout", dropout},
    GradientRule{"embedding", embedding},
    GradientRule{"exp", exp},
    GradientRule{"gelu", gelu},
    GradientRule{"gru", gru},
    GradientRule{"layer_norm", layer_norm},
    GradientRule{"log", log},
    GradientRule{"lstm", lstm},
    GradientRule{"matmul", matmul},
    GradientRule{"max_pool", max_pool},
    GradientRule{"maximum", maximum},
    GradientRule{"mean_squared_error", mean_squared_error},
    GradientRule{"minimum", minimum},
    GradientRule{"multiply", multiply},
    GradientRule{"negate", negate},
    GradientRule{"reduce_max", reduce_max},
    GradientRule{"reduce_mean", reduce_mean},
    GradientRule{"reduce_sum", reduce_sum},
    GradientRule{"relu", relu},
    GradientRule{"relu6", relu6},
    GradientRule{"select", select},
    GradientRule{"sigmoid", sigmoid},
    GradientRule{"sign", sign},
    GradientRule{"simple_rnn", simple_rnn},
    GradientRule{"softmax", softmax},
    GradientRule{"softmax_cross_entropy", softmax_cross_entropy},
    GradientRule{"sparse_softmax_cross_entropy", sparse_softmax_cross_entropy},
    GradientRule{"split", split},
    GradientRule{"sqrt", sqrt},
    GradientRule{"square", square},
    GradientRule{"subtract", subtract},
    GradientRule{"tanh", tanh},
    GradientRule{"transpose", transpose},
};

}  // namespace

std::span<const GradientRule> gradient_rules() { return rules; }

const GradientRule* find_gradient_rule(std::string_view kernel) {
  const auto found =
      std::lower_bound(rules.begin(), rules.end(), kernel,
                       [](const GradientRule& rule, std::string_view name) { return rule.kernel < name; });
  return found != rules.end() && found->kernel == kernel ? &*found : nullptr;
}

}  // namespace wt
