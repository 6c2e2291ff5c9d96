#include "kernel/recurrent.h"

#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

using element::Cell;

constexpr std::string_view forward_name(Cell cell) {
  return cell == Cell::lstm ? "lstm" : cell == Cell::gru ? "gru" : "simple_rnn";
}
constexpr std::string_view backward_name(Cell cell) {
  return cell == Cell::lstm ? "lstm_gradient" : cell == Cell::gru ? "gru_gradient" : "simple_rnn_gradient";
}

RecurrentLayout layout_of(Cell cell, const Attributes& attributes) {
  RecurrentLayout layout;
  layout.cell = cell;
  layout.attributes = attributes_as<RecurrentAttributes>(attributes);
  return layout;
}

// Checks the operands from `next` on in their order.
class Operands {
 public:
  Operands(std::string_view kernel, Specs inputs) : kernel_(kernel), inputs_(inputs) {}
  void expect(std::string_view operand, const Shape& shape) {
    require_same_type(kernel_, operand, inputs_[next_], "the first operand", inputs_[0]);
    require_shape(kernel_, operand, inputs_[next_++], shape);
  }
  void expect_mask(std::string_view operand, const Shape& shape) {
    require_type(kernel_, operand, inputs_[next_], Type::boolean);
    require_shape(kernel_, operand, inputs_[next_++], shape);
  }
  void expect_masks(const RecurrentLayout& l) {
    if (l.drops()) expect_mask("kept", {l.gates(), l.batch, l.units});
    if (l.attributes.is_masked) expect_mask("mask", {l.batch, l.time});
  }

 private:
  std::string_view kernel_;
  Specs inputs_;
  std::size_t next_ = 1;
};

// How many masks the call has.
std::size_t masks_of(std::string_view kernel, const RecurrentLayout& l) {
  if (!(l.attributes.state_dropout >= 0 && l.attributes.state_dropout < 1))
    refuse(kernel, fmt::format("state_dropout is {}", l.attributes.state_dropout),
           "it must be at least 0 and less than 1");
  return std::size_t{l.drops()} + std::size_t{l.attributes.is_masked};
}

template <Cell cell>
std::vector<TensorSpec> forward_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = forward_name(cell);
  const RecurrentLayout empty = layout_of(cell, attributes);
  require_count(name, inputs,
                std::size_t{3} + empty.has_bias() + empty.has_cell_state() + masks_of(name, empty));
  require_floating(name, "z", inputs[0]);
  require_rank(name, "z", inputs[0], 3);
  require_rank(name, "kernel", inputs[1], 2);
  const RecurrentLayout l = recurrent_layout(cell, inputs, attributes);
  if (l.units < 1) refuse(name, "there are no units", "the recurrent kernel needs at least one row");
  require_shape(name, "z", inputs[0], {l.batch, l.time, l.gates() * l.units});
  Operands operands(name, inputs);
  operands.expect("kernel", {l.units, l.gates() * l.units});
  if (l.has_bias()) operands.expect("bias", {l.gates() * l.units});
  operands.expect("h0", {l.batch, l.units});
  if (l.has_cell_state()) operands.expect("c0", {l.batch, l.units});
  operands.expect_masks(l);
  const Type type = inputs[0].type;
  const TensorSpec state{type, {l.batch, l.units}};
  std::vector<TensorSpec> outputs{{type, {l.batch, l.time, l.units}}, state};
  if (l.has_cell_state()) outputs.push_back(state);
  outputs.push_back({type, {l.planes(), l.time, l.batch, l.units}});
  return outputs;
}

template <Cell cell>
std::vector<TensorSpec> backward_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = backward_name(cell);
  const RecurrentLayout empty = layout_of(cell, attributes);
  require_count(name, inputs, std::size_t{4} + empty.has_cell_state() + masks_of(name, empty));
  require_floating(name, "dy", inputs[0]);
  require_rank(name, "dy", inputs[0], 3);
  const RecurrentLayout l = recurrent_gradient_layout(cell, inputs, attributes);
  Operands operands(name, inputs);
  operands.expect("kernel", {l.units, l.gates() * l.units});
  operands.expect("dh", {l.batch, l.units});
  if (l.has_cell_state()) operands.expect("dc", {l.batch, l.units});
  operands.expect("reserve", {l.planes(), l.time, l.batch, l.units});
  operands.expect_masks(l);
  const Type type = inputs[0].type;
  const TensorSpec state{type, {l.batch, l.units}};
  std::vector<TensorSpec> outputs{{type, {l.batch, l.time, l.gates() * l.units}}, inputs[1]};
  if (l.has_bias()) outputs.push_back({type, {l.gates() * l.units}});
  outputs.push_back(state);
  if (l.has_cell_state()) outputs.push_back(state);
  return outputs;
}

double units_of_steps(const RecurrentLayout& l) {
  return static_cast<double>(l.batch) * static_cast<double>(l.time) * static_cast<double>(l.units);
}
// A product for each gate and element of the state, in each step, where gates drop parts of it.
double dropping(const RecurrentLayout& l) {
  return l.drops() ? units_of_steps(l) * static_cast<double>(l.gates()) : 0;
}
double products(const RecurrentLayout& l) {
  return 2.0 * units_of_steps(l) * static_cast<double>(l.units) * static_cast<double>(l.gates());
}
// A product for each step, one after the other.
ProductGeometry step_product(const RecurrentLayout& l) {
  return {l.time, l.batch, l.gates() * l.units, l.units};
}

// Beside the recurrent products, a unit of a step takes 13 arithmetic steps in an lstm (4 sums with the
// product, 5 activations, 3 for the cell, 1 for the state), 14 in a gru (11 with the reset before the
// product, which adds no bias), and 2 in a simple_rnn.
template <Cell cell>
Work forward_work(const Call& call) {
  const RecurrentLayout l = recurrent_layout(cell, call.inputs, call.attributes);
  const double each = cell == Cell::lstm ? 13 : cell == Cell::gru ? (l.has_bias() ? 14 : 11) : 2;
  return {Flops(products(l) + each * units_of_steps(l) + dropping(l)), operand_bytes(call), step_product(l)};
}

// Two products of the same size: the slopes of the state, step by step, and those of the kernel.
template <Cell cell>
Work backward_work(const Call& call) {
  const RecurrentLayout l = recurrent_gradient_layout(cell, call.inputs, call.attributes);
  const double each = cell == Cell::lstm ? 29 : cell == Cell::gru ? (l.has_bias() ? 22 : 20) : 6;
  return {Flops(2 * products(l) + each * units_of_steps(l) + 2 * dropping(l)), operand_bytes(call),
          step_product(l)};
}

std::vector<RecurrentAttributes> example_attributes(Cell cell) {
  std::vector<RecurrentAttributes> all{{},
                                       {.activation = CellActivation::softsign,
                                        .recurrent_activation = CellActivation::hard_sigmoid,
                                        .go_backwards = true},
                                       {.is_masked = true},
                                       {.activation = CellActivation::elu,
                                        .recurrent_activation = CellActivation::hard_sigmoid_keras2,
                                        .go_backwards = true,
                                        .is_masked = true}};
  all.push_back({.state_dropout = 0.5});
  all.push_back({.go_backwards = true, .is_masked = true, .state_dropout = 0.2});
  if (cell == Cell::gru) {
    all.push_back({.reset_after = false, .is_masked = true, .state_dropout = 0.4});
    all.push_back({.reset_after = false});
    all.push_back({.go_backwards = true, .reset_after = false, .is_masked = true});
  }
  return all;
}

void add_masks(Example& example, const RecurrentLayout& l, std::int64_t batch, std::int64_t time,
               std::int64_t units) {
  if (l.drops()) example.inputs.push_back({{Type::boolean, {l.gates(), batch, units}}, -1, 1});
  if (l.attributes.is_masked) example.inputs.push_back({{Type::boolean, {batch, time}}, -1, 1});
}

template <Cell cell>
std::vector<Example> forward_examples() {
  std::vector<Example> examples;
  for (const RecurrentAttributes& attributes : example_attributes(cell)) {
    const RecurrentLayout l = layout_of(cell, attributes);
    const std::int64_t batch = 3, time = 4, units = 2, width = l.gates() * units;
    const auto floats = [](const Shape& shape) { return ExampleOperand{{Type::float32, shape}}; };
    Example example{{floats({batch, time, width}), floats({units, width})}, attributes};
    if (l.has_bias()) example.inputs.push_back(floats({width}));
    example.inputs.push_back(floats({batch, units}));
    if (l.has_cell_state()) example.inputs.push_back(floats({batch, units}));
    add_masks(example, l, batch, time, units);
    examples.push_back(example);
  }
  return examples;
}

// The numbers of a reserve are those of a forward pass: gates between 0 and 1.
template <Cell cell>
std::vector<Example> backward_examples() {
  std::vector<Example> examples;
  for (const RecurrentAttributes& attributes : example_attributes(cell)) {
    const RecurrentLayout l = layout_of(cell, attributes);
    const std::int64_t batch = 3, time = 4, units = 2, width = l.gates() * units;
    const auto floats = [](const Shape& shape) { return ExampleOperand{{Type::float32, shape}}; };
    Example example{{floats({batch, time, units}), floats({units, width}), floats({batch, units})},
                    attributes};
    if (l.has_cell_state()) example.inputs.push_back(floats({batch, units}));
    example.inputs.push_back({{Type::float32, {l.planes(), time, batch, units}}, 0.1, 0.9});
    add_masks(example, l, batch, time, units);
    examples.push_back(example);
  }
  return examples;
}

template <Cell cell>
constexpr Kernel forward_row(std::string_view summary) {
  return {.name = forward_name(cell),
          .summary = summary,
          .outputs = forward_outputs<cell>,
          .work = forward_work<cell>,
          .examples = forward_examples<cell>,
          .apply = cpu::recurrent<cell>,
          .workspace = cpu::recurrent_workspace<cell>};
}
template <Cell cell>
constexpr Kernel backward_row(std::string_view summary) {
  return {.name = backward_name(cell),
          .summary = summary,
          .outputs = backward_outputs<cell>,
          .work = backward_work<cell>,
          .examples = backward_examples<cell>,
          .apply = cpu::recurrent_gradient<cell>,
          .workspace = cpu::recurrent_gradient_workspace<cell>};
}

constexpr Kernel rows_of_recurrent_kernels[] = {
    forward_row<Cell::simple_rnn>("z[batch, time, units], kernel, h0, [kept], [mask] -> y, h, reserve: h = "
                                  "activation(z + h kernel) for each "
                                  "step; a masked step repeats h and y"),
    backward_row<Cell::simple_rnn>("dy, kernel, dh, reserve, [kept], [mask] -> dz, dkernel, dh0"),
    forward_row<Cell::gru>(
        "z[batch, time, 3 units], kernel, [bias], h0, [kept], [mask] -> y, h, reserve: a gated "
        "recurrent unit with the "
        "gates update, reset and candidate; bias only with reset_after"),
    backward_row<Cell::gru>("dy, kernel, dh, reserve, [kept], [mask] -> dz, dkernel, [dbias], dh0"),
    forward_row<Cell::lstm>(
        "z[batch, time, 4 units], kernel, h0, c0, [kept], [mask] -> y, h, c, reserve: long "
        "short-term memory with the "
        "gates in, forget, candidate and out"),
    backward_row<Cell::lstm>("dy, kernel, dh, dc, reserve, [kept], [mask] -> dz, dkernel, dh0, dc0"),
};

}  // namespace

RecurrentLayout recurrent_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                 const Attributes& attributes) {
  RecurrentLayout l = layout_of(cell, attributes);
  l.batch = inputs[0].shape[0];
  l.time = inputs[0].shape[1];
  l.units = inputs[1].shape[0];
  return l;
}

RecurrentLayout recurrent_gradient_layout(element::Cell cell, std::span<const TensorSpec> inputs,
                                          const Attributes& attributes) {
  RecurrentLayout l = layout_of(cell, attributes);
  l.batch = inputs[0].shape[0];
  l.time = inputs[0].shape[1];
  l.units = inputs[0].shape[2];
  return l;
}

std::span<const Kernel> recurrent_kernels() { return rows_of_recurrent_kernels; }

}  // namespace wt
