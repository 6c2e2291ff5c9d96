#include "program/operations.h"

namespace wt {

namespace {

Symbol apply(std::string_view kernel, std::initializer_list<Symbol> inputs, Attributes attributes = {}) {
  const std::vector<Symbol> symbols(inputs);
  return symbols.front().trace->apply(kernel, symbols, std::move(attributes))[0];
}

std::vector<Symbol> apply_all(std::string_view kernel, const std::vector<Symbol>& inputs,
                              Attributes attributes = {}) {
  return inputs.front().trace->apply(kernel, inputs, std::move(attributes));
}

Symbol append(Operation operation, Symbol x) { return x.trace->append(std::move(operation), {{x}})[0]; }

// A scalar of the type of x.
Symbol constant_like(Symbol x, double value) { return fill(*x.trace, {x.spec().type, {}}, value); }

Shape all_axes(Symbol x) {
  Shape axes;
  for (int axis = 0; axis < x.shape().rank(); ++axis) axes.append(axis);
  return axes;
}

}  // namespace

Symbol operator+(Symbol a, Symbol b) { return apply("add", {a, b}); }
Symbol operator-(Symbol a, Symbol b) { return apply("subtract", {a, b}); }
Symbol operator*(Symbol a, Symbol b) { return apply("multiply", {a, b}); }
Symbol operator/(Symbol a, Symbol b) { return apply("divide", {a, b}); }
Symbol operator-(Symbol x) { return apply("negate", {x}); }
Symbol operator+(Symbol a, double b) { return a + constant_like(a, b); }
Symbol operator-(Symbol a, double b) { return a - constant_like(a, b); }
Symbol operator*(Symbol a, double b) { return a * constant_like(a, b); }
Symbol operator/(Symbol a, double b) { return a / constant_like(a, b); }

Symbol maximum(Symbol a, Symbol b) { return apply("maximum", {a, b}); }
Symbol minimum(Symbol a, Symbol b) { return apply("minimum", {a, b}); }
Symbol equal(Symbol a, Symbol b) { return apply("equal", {a, b}); }
Symbol less(Symbol a, Symbol b) { return apply("less", {a, b}); }
Symbol greater(Symbol a, Symbol b) { return apply("greater", {a, b}); }
Symbol select(Symbol condition, Symbol a, Symbol b) { return apply("select", {condition, a, b}); }

Symbol exp(Symbol x) { return apply("exp", {x}); }
Symbol log(Symbol x) { return apply("log", {x}); }
Symbol sqrt(Symbol x) { return apply("sqrt", {x}); }
Symbol square(Symbol x) { return apply("square", {x}); }
Symbol abs(Symbol x) { return apply("abs", {x}); }
Symbol sign(Symbol x) { return apply("sign", {x}); }
Symbol relu(Symbol x) { return apply("relu", {x}); }
Symbol sigmoid(Symbol x) { return apply("sigmoid", {x}); }
Symbol tanh(Symbol x) { return apply("tanh", {x}); }
Symbol gelu(Symbol x) { return apply("gelu", {x}); }
Symbol softmax(Symbol x) { return apply("softmax", {x}); }

Symbol fill(Trace& trace, TensorSpec spec, double value) {
  return trace.apply("fill", {}, FillAttributes{spec, value})[0];
}
Symbol range(Trace& trace, TensorSpec spec, double step) {
  return trace.apply("range", {}, FillAttributes{spec, step})[0];
}
Symbol resize_shares(Trace& trace, const ResizeAttributes& attributes) {
  return trace.apply("resize_shares", {}, attributes)[0];
}
Symbol hash_bucket(Symbol x, const HashAttributes& attributes) {
  return apply("hash_bucket", {x}, attributes);
}
Symbol cast(Symbol x, Type type) { return apply("cast", {x}, CastAttributes{type}); }
Symbol reshape(Symbol x, const Shape& shape) { return append(Reshape{shape}, x); }
Symbol stop_gradient(Symbol x) { return append(Reshape{x.shape(), true}, x); }
Symbol transpose(Symbol x, const Shape& order) { return apply("transpose", {x}, ShapeAttributes{order}); }
Symbol broadcast_to(Symbol x, const Shape& shape) {
  return apply("broadcast_to", {x}, ShapeAttributes{shape});
}

// An operation has at most as many sizes as a shape has axes, so that many parts are joined in two halves first.
Symbol concat(const std::vector<Symbol>& parts, int axis) {
  if (parts.size() > Shape::max_rank) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    return concat({concat({parts.begin(), middle}, axis), concat({middle, parts.end()}, axis)}, axis);
  }
  PartsAttributes attributes{axis, {}};
  for (const Symbol& part : parts) attributes.sizes.append(part.shape()[axis]);
  return apply_all("concat", parts, attributes)[0];
}

std::vector<Symbol> split(Symbol x, int axis, const Shape& sizes) {
  return apply_all("split", {x}, PartsAttributes{axis, sizes});
}

Symbol reduce_sum(Symbol x, const Shape& axes, bool keep_dims) {
  return apply("reduce_sum", {x}, AxesAttributes{axes, keep_dims});
}
Symbol reduce_mean(Symbol x, const Shape& axes, bool keep_dims) {
  return apply("reduce_mean", {x}, AxesAttributes{axes, keep_dims});
}
Symbol reduce_max(Symbol x, const Shape& axes, bool keep_dims) {
  return apply("reduce_max", {x}, AxesAttributes{axes, keep_dims});
}
Symbol reduce_sum(Symbol x) { return reduce_sum(x, all_axes(x)); }
Symbol reduce_mean(Symbol x) { return reduce_mean(x, all_axes(x)); }
Symbol argmax(Symbol x) { return apply("argmax", {x}); }

Symbol matmul(Symbol a, Symbol b, ProductAttributes attributes) {
  return apply("matmul", {a, b}, attributes);
}
Symbol bias_add(Symbol x, Symbol bias) { return apply("bias_add", {x, bias}); }

Symbol conv2d(Symbol x, Symbol filter, WindowAttributes window) {
  if (filter.shape().rank() == 4) window.size = {filter.shape()[0], filter.shape()[1]};
  return apply("conv2d", {x, filter}, window);
}
Symbol conv2d_input_gradient(Symbol filter, Symbol y, WindowAttributes window) {
  if (filter.shape().rank() == 4) window.size = {filter.shape()[0], filter.shape()[1]};
  return apply("conv2d_input_gradient", {filter, y}, window);
}
Symbol max_pool(Symbol x, const WindowAttributes& window) { return apply("max_pool", {x}, window); }
Symbol average_pool(Symbol x, const WindowAttributes& window) { return apply("average_pool", {x}, window); }

Normalized batch_norm(Symbol x, Symbol gamma, Symbol beta, Symbol moving_mean, Symbol moving_variance,
                      NormalizationAttributes attributes) {
  const auto outputs = apply_all("batch_norm", {x, gamma, beta, moving_mean, moving_variance}, attributes);
  return {outputs[0], outputs[3], outputs[4]};
}
Symbol batch_norm_inference(Symbol x, Symbol gamma, Symbol beta, Symbol mean, Symbol variance,
                            NormalizationAttributes attributes) {
  return apply("batch_norm_inference", {x, gamma, beta, mean, variance}, attributes);
}
Symbol layer_norm(Symbol x, Symbol gamma, Symbol beta, NormalizationAttributes attributes) {
  return apply("layer_norm", {x, gamma, beta}, attributes);
}
Symbol dropout(Symbol x, Symbol seed, DropoutAttributes attributes) {
  return apply("dropout", {x, seed}, attributes);
}
Symbol embedding(Symbol ids, Symbol table) { return apply("embedding", {ids, table}); }

Symbol sparse_softmax_cross_entropy(Symbol logits, Symbol labels) {
  return apply("sparse_softmax_cross_entropy", {logits, labels});
}
Symbol softmax_cross_entropy(Symbol logits, Symbol labels) {
  return apply("softmax_cross_entropy", {logits, labels});
}
Symbol mean_squared_error(Symbol prediction, Symbol target) {
  return apply("mean_squared_error", {prediction, target});
}
Symbol binary_cross_entropy(Symbol logits, Symbol labels) {
  return apply("binary_cross_entropy", {logits, labels});
}

Symbol all_reduce(Symbol x, Reduction reduction) { return append(AllReduce{reduction}, x); }
Symbol reduce(Symbol x, Reduction reduction) { return append(Reduce{reduction}, x); }
Symbol broadcast(Symbol x) { return append(Broadcast{}, x); }
Symbol gather(Symbol x, std::int64_t replicas) { return append(Gather{replicas}, x); }
Symbol collective_permute(Symbol x, std::vector<SourceTarget> source_target_pairs) {
  return append(Permute{std::move(source_target_pairs)}, x);
}

namespace {

// Appends an optimizer's kernel and the updates. The tensors to update are its first inputs, so output j is
// the new value of input j. A step may call Adam twice, for two groups of variables. Both calls read the same
// count of steps and give the same new one, so the second replaces the first.
void apply_optimizer(std::string_view kernel, std::vector<Symbol> updated, std::span<const Symbol> gradients,
                     Symbol learning_rate, Attributes attributes) {
  Trace& trace = *learning_rate.trace;
  std::vector<Symbol> inputs = updated;
  inputs.insert(inputs.end(), gradients.begin(), gradients.end());
  inputs.push_back(learning_rate);
  const std::vector<Symbol> outputs = trace.apply(kernel, inputs, std::move(attributes));
  for (std::size_t i = 0; i < updated.size(); ++i) trace.update_again(updated[i], outputs[i]);
}

std::vector<Symbol> joined(std::initializer_list<std::span<const Symbol>> parts) {
  std::vector<Symbol> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

void apply_sgd(const std::vector<Symbol>& variables, const Slots& slots, const std::vector<Symbol>& gradients,
               Symbol learning_rate, SgdAttributes attributes) {
  apply_optimizer("sgd_update", joined({variables, slots.first}), gradients, learning_rate, attributes);
}

void apply_adam(const std::vector<Symbol>& variables, const Slots& slots, Symbol iterations,
                const std::vector<Symbol>& gradients, Symbol learning_rate, AdamAttributes attributes) {
  apply_optimizer("adam_update", joined({variables, slots.first, slots.second, {&iterations, 1}}), gradients,
                  learning_rate, attributes);
}

void apply_rmsprop(const std::vector<Symbol>& variables, const Slots& slots,
                   const std::vector<Symbol>& gradients, Symbol learning_rate, RmsPropAttributes attributes) {
  apply_optimizer("rmsprop_update", joined({variables, slots.second, slots.first, slots.third}), gradients,
                  learning_rate, attributes);
}

}  // namespace wt
