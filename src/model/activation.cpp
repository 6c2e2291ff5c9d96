#include "model/activation.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "model/constants.h"

namespace wt::model {

namespace {

// Clevert, Unterthiner and Hochreiter, 2016; Klambauer et al., 2017. At 0 the slope is that of the numbers above.
Symbol exponential_below_zero(Symbol x, double scale, double alpha) {
  const Symbol zero = fill(*x.trace, {x.spec().type, {}}, 0);
  return select(less(x, zero), (wt::exp(wt::minimum(x, zero)) - 1) * alpha, x) * scale;
}

Symbol softplus_of(Symbol x) {
  const Symbol rest = wt::log(wt::exp(wt::minimum(x, -x)) + 1);  // the argument of exp is never above 0
  return rest + wt::relu(x);
}

Symbol relu6_of(Symbol x) { return wt::minimum(number_like(x, 6), wt::relu(x)); }

// The greatest element is subtracted, so that no exponential overflows.
Symbol log_softmax_of(Symbol x) {
  const Shape last{x.shape().rank() - 1};
  const Symbol shifted = x - wt::reduce_max(x, last, true);
  return shifted - wt::log(wt::reduce_sum(wt::exp(shifted), last, true));
}

// x where |x| is above a half, moved towards 0 by `shift`; 0 elsewhere.
Symbol shrunk(Symbol x, double shift) {
  const Symbol zero = number_like(x, 0);
  const Symbol below = select(less(x, number_like(x, -0.5)), x + shift, zero);
  return select(greater(x, number_like(x, 0.5)), x - shift, below);
}

// 0 up to -1, `between` up to 1, and `above` from there on.
Symbol from_zero(Symbol x, Symbol between, Symbol above) {
  const Symbol lower = select(greater(x, number_like(x, -1)), between, number_like(x, 0));
  return select(less(x, number_like(x, 1)), lower, above);
}

// At a kink the gradient of minimum and maximum belongs to the first operand. The order of the operands below gives
// TensorFlow's slopes there: 0.5 for softplus at 0, the slope below 0 for leaky_relu at 0, and 0 for relu6 at 6.
//
// Keras' gelu (Hendrycks and Gimpel, 2016) is the exact form with erf, not the approximation with tanh.
constexpr Activation activation_rows[] = {
    {"linear", "x", [](Symbol x) { return x; }},
    {"relu", "max(x, 0)", [](Symbol x) { return wt::relu(x); }},
    {"sigmoid", "1 / (1 + exp(-x))", [](Symbol x) { return wt::sigmoid(x); }},
    {"tanh", "hyperbolic tangent", [](Symbol x) { return wt::tanh(x); }},
    {"softmax", "exp(x) / sum of exp(x) over the last axis", [](Symbol x) { return wt::softmax(x); }},
    {"gelu", "x times the normal distribution function of x", [](Symbol x) { return wt::gelu(x); }},
    {"elu", "x, and exp(x) - 1 below 0", [](Symbol x) { return exponential_below_zero(x, 1, 1); }},
    {"selu", "1.0507 x, and 1.7581 (exp(x) - 1) below 0",
     [](Symbol x) { return exponential_below_zero(x, 1.0507009873554805, 1.6732632423543772); }},
    {"exponential", "exp(x)", [](Symbol x) { return wt::exp(x); }},
    {"silu", "x sigmoid(x)", [](Symbol x) { return x * wt::sigmoid(x); }},
    {"swish", "another name of silu", [](Symbol x) { return x * wt::sigmoid(x); }},
    {"softplus", "log(1 + exp(x))", softplus_of},
    {"softsign", "x / (1 + |x|)", [](Symbol x) { return x / (wt::abs(x) + 1); }},
    {"leaky_relu", "max(x, 0.2 x)", [](Symbol x) { return wt::maximum(x * 0.2, x); }},
    {"relu6", "min(max(x, 0), 6)", relu6_of},
    {"celu", "elu with a slope of 1 at 0", [](Symbol x) { return exponential_below_zero(x, 1, 1); }},
    {"hard_shrink", "x, and 0 from -0.5 to 0.5", [](Symbol x) { return shrunk(x, 0); }},
    {"hard_sigmoid", "relu6(x + 3) / 6; in Keras 2 x / 5 + 1 / 2, clipped to [0, 1]",
     [](Symbol x) { return relu6_of(x + 3) / 6; }, [](Symbol x) { return clipped(x * 0.2 + 0.5, 0, 1); }},
    {"hard_silu", "x relu6(x + 3) / 6", [](Symbol x) { return x * (relu6_of(x + 3) / 6); }},
    {"hard_swish", "another name of hard_silu", [](Symbol x) { return x * (relu6_of(x + 3) / 6); }},
    {"hard_tanh", "x, clipped to [-1, 1]", [](Symbol x) { return clipped(x, -1, 1); }},
    {"log_sigmoid", "-softplus(-x)", [](Symbol x) { return -softplus_of(-x); }},
    {"log_softmax", "the logarithm of softmax", log_softmax_of},
    {"mish", "x tanh(softplus(x))", [](Symbol x) { return x * wt::tanh(softplus_of(x)); }},
    {"soft_shrink", "x moved by 0.5 towards 0, and 0 from -0.5 to 0.5",
     [](Symbol x) { return shrunk(x, 0.5); }},
    {"sparse_plus", "0, (x + 1)^2 / 4 between -1 and 1, and x",
     [](Symbol x) { return from_zero(x, wt::square(x + 1) / 4, x); }},
    {"sparse_sigmoid", "0, (x + 1) / 2 between -1 and 1, and 1",
     [](Symbol x) { return from_zero(x, (x + 1) * 0.5, number_like(x, 1)); }},
    {"squareplus", "(x + sqrt(x^2 + 4)) / 2", [](Symbol x) { return (x + wt::sqrt(wt::square(x) + 4)) / 2; }},
    {"tanh_shrink", "x - tanh(x)", [](Symbol x) { return x - wt::tanh(x); }},
};

}  // namespace

std::span<const Activation> activations() { return activation_rows; }

const Activation* find_activation(std::string_view name) {
  for (const Activation& row : activation_rows)
    if (row.name == name) return &row;
  return nullptr;
}

Symbol activate(Symbol x, std::string_view activation, Semantics semantics) {
  const Activation* row = find_activation(activation);
  if (row != nullptr) {
    const bool is_older = is_on(Switch::hard_sigmoid_has_slope_a_fifth, semantics);
    return row->apply_in_keras2 != nullptr && is_older ? row->apply_in_keras2(x) : row->apply(x);
  }
  std::vector<std::string_view> known;
  for (const Activation& other : activation_rows) known.push_back(other.name);
  throw InputError(fmt::format("unknown activation \"{}\"", activation), did_you_mean(activation, known));
}

}  // namespace wt::model
