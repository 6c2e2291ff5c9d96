#pragma once
// The operations that a step function may apply to symbols: one function per kernel, with TensorFlow's names.
// Each appends a node to the trace of its operands and checks the shapes while tracing. Throws InputError
// where they do not fit.

#include <initializer_list>
#include <vector>

#include "program/trace.h"

namespace wt {

// Arithmetic with numpy's broadcasting. A number takes the type of the symbol.
Symbol operator+(Symbol a, Symbol b);
Symbol operator-(Symbol a, Symbol b);
Symbol operator*(Symbol a, Symbol b);
Symbol operator/(Symbol a, Symbol b);
Symbol operator-(Symbol x);
Symbol operator+(Symbol a, double b);
Symbol operator-(Symbol a, double b);
Symbol operator*(Symbol a, double b);
Symbol operator/(Symbol a, double b);

Symbol maximum(Symbol a, Symbol b);
Symbol minimum(Symbol a, Symbol b);
Symbol equal(Symbol a, Symbol b);
Symbol less(Symbol a, Symbol b);
Symbol greater(Symbol a, Symbol b);
Symbol select(Symbol condition, Symbol a, Symbol b);

Symbol exp(Symbol x);
Symbol log(Symbol x);
Symbol sqrt(Symbol x);
Symbol square(Symbol x);
Symbol abs(Symbol x);
Symbol sign(Symbol x);
Symbol relu(Symbol x);
Symbol sigmoid(Symbol x);
Symbol tanh(Symbol x);
Symbol gelu(Symbol x);
Symbol softmax(Symbol x);

Symbol fill(Trace& trace, TensorSpec spec, double value);
Symbol range(Trace& trace, TensorSpec spec, double step);                // 0, step, 2 step, ...
Symbol resize_shares(Trace& trace, const ResizeAttributes& attributes);  // float32[rows, given]
Symbol hash_bucket(Symbol x, const HashAttributes& attributes);          // of integers: int64
Symbol cast(Symbol x, Type type);
Symbol reshape(Symbol x, const Shape& shape);
Symbol stop_gradient(Symbol x);                  // x, through which no gradient leads
Symbol transpose(Symbol x, const Shape& order);  // axis i of the result is axis order[i] of x
Symbol broadcast_to(Symbol x, const Shape& shape);
Symbol concat(const std::vector<Symbol>& parts, int axis);
std::vector<Symbol> split(Symbol x, int axis, const Shape& sizes);

Symbol reduce_sum(Symbol x, const Shape& axes, bool keep_dims = false);
Symbol reduce_mean(Symbol x, const Shape& axes, bool keep_dims = false);
Symbol reduce_max(Symbol x, const Shape& axes, bool keep_dims = false);
Symbol reduce_sum(Symbol x);   // over all axes
Symbol reduce_mean(Symbol x);  // over all axes
Symbol argmax(Symbol x);       // over the last axis

Symbol matmul(Symbol a, Symbol b, ProductAttributes attributes = {});
Symbol bias_add(Symbol x, Symbol bias);
Symbol conv2d(Symbol x, Symbol filter, WindowAttributes window = {});  // the filter gives the window's size
// The transpose of a convolution; window.input is the shape of the result.
Symbol conv2d_input_gradient(Symbol filter, Symbol y, WindowAttributes window);
Symbol max_pool(Symbol x, const WindowAttributes& window);
Symbol average_pool(Symbol x, const WindowAttributes& window);

// The moving averages are new values, which the caller assigns to their variables by Trace::update.
struct Normalized {
  Symbol y{};
  Symbol moving_mean{};
  Symbol moving_variance{};
};
Normalized batch_norm(Symbol x, Symbol gamma, Symbol beta, Symbol moving_mean, Symbol moving_variance,
                      NormalizationAttributes attributes = {});
Symbol batch_norm_inference(Symbol x, Symbol gamma, Symbol beta, Symbol mean, Symbol variance,
                            NormalizationAttributes attributes = {});
Symbol layer_norm(Symbol x, Symbol gamma, Symbol beta, NormalizationAttributes attributes = {});
Symbol dropout(Symbol x, Symbol seed, DropoutAttributes attributes);  // seed: int64[2]
Symbol embedding(Symbol ids, Symbol table);

// Losses, one for each row along the last axis.
Symbol sparse_softmax_cross_entropy(Symbol logits, Symbol labels);
Symbol softmax_cross_entropy(Symbol logits, Symbol labels);
Symbol mean_squared_error(Symbol prediction, Symbol target);
Symbol binary_cross_entropy(Symbol logits, Symbol labels);

// Operations among replicas (program/program.h).
Symbol all_reduce(Symbol x, Reduction reduction);
Symbol reduce(Symbol x, Reduction reduction);
Symbol broadcast(Symbol x);
Symbol gather(Symbol x, std::int64_t replicas);
Symbol collective_permute(Symbol x, std::vector<SourceTarget> source_target_pairs);

// Optimizers. Each call updates all variables and all slots by one kernel. Slots are the optimizer's own
// variables, one per variable and kind. With the attribute given_squares, the squares of the gradients stand
// behind the gradients.
struct Slots {
  std::vector<Symbol> first{};   // SGD's and RMSprop's momentum, Adam's m
  std::vector<Symbol> second{};  // Adam's v, RMSprop's mean square
  std::vector<Symbol> third{};   // centered RMSprop's mean gradient
};
void apply_sgd(const std::vector<Symbol>& variables, const Slots& slots, const std::vector<Symbol>& gradients,
               Symbol learning_rate, SgdAttributes attributes);
void apply_adam(const std::vector<Symbol>& variables, const Slots& slots, Symbol iterations,
                const std::vector<Symbol>& gradients, Symbol learning_rate, AdamAttributes attributes);
void apply_rmsprop(const std::vector<Symbol>& variables, const Slots& slots,
                   const std::vector<Symbol>& gradients, Symbol learning_rate, RmsPropAttributes attributes);

}  // namespace wt
