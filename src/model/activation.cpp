#include "model/activation.h"

#include <fmt/format.h>

#include <cmath>

#include "base/suggest.h"
#include "model/arguments.h"
#include "model/axes.h"
#include "model/constants.h"
#include "model/mask.h"
#include "model/operands.h"

namespace wt::model {

namespace {

using Call = ActivationCall;

Symbol where_above(Symbol x, double threshold, Symbol above, Symbol otherwise) {
  return select(greater(x, number_like(x, threshold)), above, otherwise);
}

Symbol is_at_least(Symbol x, double bound) {
  return either(greater(x, number_like(x, bound)), equal(x, number_like(x, bound)));
}
Symbol is_at_most(Symbol x, double bound) {
  return either(less(x, number_like(x, bound)), equal(x, number_like(x, bound)));
}

// ---- Rectifiers
//
// At a kink the gradient of minimum and maximum belongs to the first operand. The order of the operands below gives
// TensorFlow's slopes there: 0.5 for softplus at 0.

Symbol relu6_of(Symbol x) { return x.trace->apply("relu6", std::vector{x}).front(); }

Symbol leaky_relu_of(Symbol x, double slope) { return where_above(x, 0, x, x * slope); }

// What is not above the threshold is 0. Keras 2 multiplies it by 0, which leaves NaN where it is infinite.
Symbol above_threshold(const Call& call, double threshold) {
  const Symbol x = call.x;
  if (!is_on(Switch::thresholds_multiply, call.semantics))
    return where_above(x, threshold, x, number_like(x, 0));
  return x * cast(greater(x, number_like(x, threshold)), x.spec().type);
}

Symbol relu(const Call& call) {
  const Symbol x = call.x;
  const double slope = call.options.negative_slope.value_or(0),
               threshold = call.options.threshold.value_or(0);
  const std::optional<double> most = call.options.max_value;
  if (slope != 0 && !most && threshold == 0) return leaky_relu_of(x, slope);
  const bool is_relu6 = threshold == 0 && most == 6.0;  // which TensorFlow has a kernel for
  Symbol y = is_relu6 ? relu6_of(x) : threshold == 0 ? wt::relu(x) : above_threshold(call, threshold);
  if (most && !is_relu6) y = clipped(y, 0, *most);
  return slope == 0 ? y : y - wt::relu(threshold == 0 ? -x : -x + threshold) * slope;
}

Symbol leaky_relu(const Call& call) {
  return leaky_relu_of(call.x, call.options.negative_slope.value_or(0.2));
}

Symbol threshold(const Call& call) {
  if (!call.options.threshold)
    throw InputError("the activation \"threshold\" has no threshold", "choose another, or a layer ReLU");
  return where_above(call.x, *call.options.threshold, call.x,
                     number_like(call.x, call.options.default_value));
}

// x where |x| is above the threshold, moved towards 0 by `shift`; 0 elsewhere.
Symbol shrunk(Symbol x, double threshold, double shift) {
  const Symbol below = select(less(x, number_like(x, -threshold)), x + shift, number_like(x, 0));
  return where_above(x, threshold, x - shift, below);
}

Symbol hard_shrink(const Call& call) { return shrunk(call.x, call.options.threshold.value_or(0.5), 0); }
Symbol soft_shrink(const Call& call) {
  const double threshold = call.options.threshold.value_or(0.5);
  return shrunk(call.x, threshold, threshold);
}

// ---- Exponentials

// Clevert, Unterthiner and Hochreiter, 2016; Klambauer et al., 2017. The slope is that of the numbers above where the result
// is not below 0, which includes negative numbers near to 0.
Symbol exponential_below_zero(Symbol x, double scale, double alpha) {
  const Symbol zero = number_like(x, 0);
  const Symbol below = wt::exp(select(less(x, zero), x, zero)) - 1;
  const auto times = [](Symbol y, double factor) { return factor == 1 ? y : y * factor; };
  return times(select(less(below, zero), times(below, alpha), x), scale);
}

// With another alpha than 1 the slope at 0 is that of the numbers below.
Symbol elu(const Call& call) {
  const Symbol y = exponential_below_zero(call.x, 1, 1);
  const double alpha = call.options.alpha;
  return alpha == 1 ? y : where_above(call.x, 0, y, y * alpha);
}

// Barron, 2017. Both terms have their slopes at 0, and none where x is NaN.
Symbol celu(const Call& call) {
  const double alpha = call.options.alpha;
  const Symbol x = call.x, zero = number_like(x, 0);
  const Symbol above = select(is_at_least(x, 0), x, zero);
  const Symbol below = select(is_at_most(x, 0), x, stop_gradient(wt::minimum(x, zero)));
  return above + (wt::exp(below / alpha) - 1) * alpha;
}

// The exact form with erf (Hendrycks and Gimpel, 2016), or the approximation with tanh.
Symbol gelu(const Call& call) {
  if (!call.options.approximate) return wt::gelu(call.x);
  const Symbol inner = (call.x + power(call.x, 3) * 0.044715) * std::sqrt(2 / 3.14159265358979323846);
  return call.x * 0.5 * (wt::tanh(inner) + 1);
}

Symbol squareplus(const Call& call) { return (call.x + wt::sqrt(wt::square(call.x) + call.options.b)) / 2; }

// ---- Between two bounds

// TensorFlow's kernel has the slope 1 / (1 + |x|)^2, also where x is infinite and the result NaN.
Symbol softsign(const Call& call) {
  const Symbol x = call.x, size = wt::abs(x) + 1;
  const Symbol slope = number_like(x, 1) / wt::square(size);
  return stop_gradient(x / size) + stop_gradient(slope) * (x - stop_gradient(x));
}

Symbol sparse_plus(const Call& call) {
  const Symbol x = call.x;
  const Symbol above = select(less(x, number_like(x, 1)), wt::square(x * 0.5 + 0.5), x);
  return select(is_at_most(x, -1), number_like(x, 0), above);
}

Symbol sparse_sigmoid(const Call& call) {
  const Symbol x = call.x;
  const Symbol above = select(is_at_least(x, 1), number_like(x, 1), (x + 1) * 0.5);
  return select(is_at_most(x, -1), number_like(x, 0), above);
}

Symbol hard_sigmoid(const Call& call) {
  if (is_on(Switch::hard_sigmoid_has_slope_a_fifth, call.semantics)) return clipped(call.x * 0.2 + 0.5, 0, 1);
  return relu6_of(call.x + 3) / 6;
}
Symbol hard_silu(const Call& call) { return call.x * (relu6_of(call.x + 3) / 6); }

// ---- Along an axis

// A softmax along the last axis is a single node.
Symbol softmax_along(Symbol x, int axis) {
  if (axis_of(axis, x.spec()) == x.shape().rank() - 1) return wt::softmax(x);
  const MovedAxes moved(x, {axis});
  return moved.back(wt::softmax(moved.last()));
}

// The greatest element is subtracted, so that no exponential overflows.
Symbol log_softmax(const Call& call) {
  const Shape axis{axis_of(call.options.axis, call.x.spec())};
  const Symbol shifted = call.x - stop_gradient(wt::reduce_max(call.x, axis, true));
  return shifted - wt::log(wt::reduce_sum(wt::exp(shifted), axis, true));
}

// Dauphin et al., 2017: one half is a gate for the other.
Symbol glu(const Call& call) {
  const int axis = axis_of(call.options.axis, call.x.spec());
  const std::int64_t extent = call.x.shape()[axis];
  if (extent % 2 != 0)
    throw InputError(fmt::format("axis size must be divisible by 2. Received: x.shape={} with axis={}",
                                 shape_in_python(call.x.shape()), call.options.axis),
                     "choose another axis");
  const std::vector<Symbol> halves = split(call.x, axis, {extent / 2, extent / 2});
  return halves[0] * wt::sigmoid(halves[1]);
}

// Martins and Astudillo, 2016, as Keras 3 computes it: sorted downwards, the k elements z with 1 + r z > (sum of the r
// largest) are the support. Keras' threshold is (the sum over r up to k of the sum of the r largest, less 1) / k, where the
// paper has the sum of the k largest alone. Ranks come from comparisons of all pairs, since there is no kernel that sorts.
Symbol sparsemax(const Call& call) {
  const MovedAxes moved(call.x, {call.options.axis});
  const Symbol z = moved.last();
  const Shape shape = z.shape();
  const int rank = shape.rank();
  const std::int64_t count = shape.last();
  Shape columns = shape, rows = shape.without(rank - 1);
  columns.append(1);
  rows.append(1);
  rows.append(count);
  const Symbol own = reshape(z, columns), other = reshape(z, rows);
  const Symbol numbers = range(*z.trace, {Type::float32, {count}}, 1);
  const Symbol is_before = both(equal(other, own), less(numbers, reshape(numbers, {count, 1})));
  const Symbol is_larger = cast(either(greater(other, own), is_before), z.spec().type);
  const Symbol place = reduce_sum(is_larger, {rank}) + 1;  // 1 for the largest
  const Symbol sums =
      reduce_sum(select(greater(is_larger, number_like(z, 0)), other, number_like(z, 0)), {rank}) + z;
  const Symbol is_support = greater(z - (sums - 1) / place, number_like(z, 0));
  const Symbol k = reduce_sum(cast(is_support, z.spec().type), {rank - 1}, true);
  const Symbol supporting = select(is_support, sums, number_like(z, 0));
  const Symbol threshold = (reduce_sum(supporting, {rank - 1}, true) - 1) / k;
  return moved.back(wt::maximum(z - threshold, number_like(z, 0)));
}

// ---- Arguments

void read_alpha(ActivationOptions& options, Arguments& arguments) {
  arguments.number("alpha", options.alpha);
}
void read_b(ActivationOptions& options, Arguments& arguments) { arguments.number("b", options.b); }
void read_slope(ActivationOptions& options, Arguments& arguments) {
  arguments.number("negative_slope", options.negative_slope);
}
void read_threshold(ActivationOptions& options, Arguments& arguments) {
  arguments.number("threshold", options.threshold);
}
void read_default(ActivationOptions& options, Arguments& arguments) {
  read_threshold(options, arguments);
  arguments.number("default_value", options.default_value);
}
void read_approximate(ActivationOptions& options, Arguments& arguments) {
  arguments.flag("approximate", options.approximate);
}
void read_axis(ActivationOptions& options, Arguments& arguments) {
  std::int64_t axis = options.axis;
  arguments.integer("axis", axis, {.at_least = -Shape::max_rank, .at_most = Shape::max_rank});
  options.axis = static_cast<int>(axis);
}
// Keras 2 calls the slope alpha.
void read_relu(ActivationOptions& options, Arguments& arguments) {
  read_slope(options, arguments);
  if (arguments.reads()) arguments.number("alpha", options.negative_slope);
  arguments.number("max_value", options.max_value);
  read_threshold(options, arguments);
}

template <Symbol (*function)(Symbol x)>
Symbol of(const Call& call) {
  return function(call.x);
}

constexpr Activation activation_rows[] = {
    {"linear", "x", [](const Call& call) { return call.x; }},
    {"relu", "max(x, 0)", relu, read_relu},
    {"sigmoid", "1 / (1 + exp(-x))", of<wt::sigmoid>},
    {"tanh", "hyperbolic tangent", of<wt::tanh>},
    {"softmax", "exp(x) / sum of exp(x) over the last axis",
     [](const Call& call) { return softmax_along(call.x, call.options.axis); }, read_axis},
    {"gelu", "x times the normal distribution function of x", gelu, read_approximate},
    {"elu", "x, and exp(x) - 1 below 0", elu, read_alpha},
    {"selu", "1.0507 x, and 1.7581 (exp(x) - 1) below 0",
     [](const Call& call) { return exponential_below_zero(call.x, 1.0507009873554805, 1.6732632423543772); }},
    {"exponential", "exp(x)", of<wt::exp>},
    {"silu", "x sigmoid(x)", [](const Call& call) { return call.x * wt::sigmoid(call.x); }},
    {"swish", "another name of silu", [](const Call& call) { return call.x * wt::sigmoid(call.x); }},
    {"softplus", "log(1 + exp(x))", of<softplus>},
    {"softsign", "x / (1 + |x|)", softsign},
    {"leaky_relu", "x, and 0.2 x below 0", leaky_relu, read_slope},
    {"relu6", "min(max(x, 0), 6)", of<relu6_of>},
    {"celu", "x, and alpha (exp(x / alpha) - 1) below 0", celu, read_alpha},
    {"glu", "one half of the last axis times the sigmoid of the other", glu, read_axis},
    {"hard_shrink", "x, and 0 from -0.5 to 0.5", hard_shrink, read_threshold},
    {"hard_sigmoid", "relu6(x + 3) / 6; in Keras 2 x / 5 + 1 / 2, clipped to [0, 1]", hard_sigmoid},
    {"hard_silu", "x relu6(x + 3) / 6", hard_silu},
    {"hard_swish", "another name of hard_silu", hard_silu},
    {"hard_tanh", "x, clipped to [-1, 1]", [](const Call& call) { return clipped(call.x, -1, 1); }},
    {"log_sigmoid", "-softplus(-x)", [](const Call& call) { return -softplus(-call.x); }},
    {"log_softmax", "the logarithm of softmax", log_softmax, read_axis},
    {"mish", "x tanh(softplus(x))", [](const Call& call) { return call.x * wt::tanh(softplus(call.x)); }},
    {"soft_shrink", "x moved by 0.5 towards 0, and 0 from -0.5 to 0.5", soft_shrink, read_threshold},
    {"sparse_plus", "0, (x + 1)^2 / 4 between -1 and 1, and x", sparse_plus},
    {"sparse_sigmoid", "0, (x + 1) / 2 between -1 and 1, and 1", sparse_sigmoid},
    {"sparsemax", "the nearest distribution to x on the last axis, as Keras 3 computes it", sparsemax,
     read_axis},
    {"squareplus", "(x + sqrt(x^2 + 4)) / 2", squareplus, read_b},
    {"tanh_shrink", "x - tanh(x)", [](const Call& call) { return call.x - wt::tanh(call.x); }},
    {"threshold", "x above a threshold, and a default value elsewhere", threshold, read_default},
};

}  // namespace

std::span<const Activation> activations() { return activation_rows; }

const Activation* find_activation(std::string_view name) {
  for (const Activation& row : activation_rows)
    if (row.name == name) return &row;
  return nullptr;
}

ActivationOptions read_activation_options(const Activation& activation, const json::Value& config,
                                          Problems& problems) {
  ActivationOptions options;
  Arguments arguments(&config, config.place(), problems);
  if (activation.arguments != nullptr) activation.arguments(options, arguments);
  arguments.reader().finish();
  return options;
}

Symbol activate(Symbol x, std::string_view activation, Semantics semantics,
                const ActivationOptions& options) {
  if (const Activation* row = find_activation(activation)) return row->apply({x, options, semantics});
  std::vector<std::string_view> known;
  for (const Activation& other : activation_rows) known.push_back(other.name);
  throw InputError(fmt::format("unknown activation \"{}\"", activation), did_you_mean(activation, known));
}

}  // namespace wt::model
