#include "model/activation.h"

#include <fmt/format.h>

#include "base/suggest.h"

namespace wt::model {

namespace {

// Clevert, Unterthiner and Hochreiter, 2016; Klambauer et al., 2017. At 0 the slope is that of the numbers above.
Symbol exponential_below_zero(Symbol x, double scale, double alpha) {
  const Symbol zero = fill(*x.trace, {x.spec().type, {}}, 0);
  return select(less(x, zero), (wt::exp(wt::minimum(x, zero)) - 1) * alpha, x) * scale;
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
    {"softplus", "log(1 + exp(x))",
     [](Symbol x) {
       const Symbol rest = wt::log(wt::exp(wt::minimum(x, -x)) + 1);  // the argument of exp is never above 0
       return rest + wt::relu(x);
     }},
    {"softsign", "x / (1 + |x|)", [](Symbol x) { return x / (wt::abs(x) + 1); }},
    {"leaky_relu", "max(x, 0.2 x)", [](Symbol x) { return wt::maximum(x * 0.2, x); }},
    {"relu6", "min(max(x, 0), 6)",
     [](Symbol x) {
       return wt::minimum(fill(*x.trace, {x.spec().type, {}}, 6), wt::relu(x));
     }},
};

}  // namespace

std::span<const Activation> activations() { return activation_rows; }

const Activation* find_activation(std::string_view name) {
  for (const Activation& row : activation_rows)
    if (row.name == name) return &row;
  return nullptr;
}

Symbol activate(Symbol x, std::string_view activation) {
  const Activation* row = find_activation(activation);
  if (row != nullptr) return row->apply(x);
  std::vector<std::string_view> known;
  for (const Activation& other : activation_rows) known.push_back(other.name);
  throw InputError(fmt::format("unknown activation \"{}\"", activation), did_you_mean(activation, known));
}

}  // namespace wt::model
