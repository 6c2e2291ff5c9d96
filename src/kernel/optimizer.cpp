#include "kernel/optimizer.h"

#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {

namespace {

void require_layout(std::string_view kernel, Specs inputs, const OptimizerLayout& layout,
                    std::string_view order) {
  const std::size_t others = layout.has_count ? 2 : 1;
  if (inputs.size() <= others || (inputs.size() - others) % layout.per_parameter() != 0)
    refuse(kernel, fmt::format("{} operands do not match {}", inputs.size(), order),
           fmt::format("n parameters need {}n + {} operands", layout.per_parameter(), others));
}

// Checks the operands of an update and returns the specs of the new parameters, slots and count. `order`
// lists the operands for messages: "w.., m.., g.., lr".
std::vector<TensorSpec> updated(std::string_view kernel, Specs inputs, const OptimizerLayout& layout,
                                std::span<const std::string_view> slots, std::string_view order) {
  require_layout(kernel, inputs, layout, order);
  const std::size_t parameters = layout.parameters(inputs.size());
  const std::size_t gradients = layout.gradients_at(parameters);
  require_floating(kernel, "w0", inputs[0]);
  for (std::size_t i = 0; i < parameters; ++i) {
    const std::string w = fmt::format("w{}", i);
    require_same_type(kernel, "w0", inputs[0], w, inputs[i]);
    for (std::size_t slot = 0; slot < layout.slots; ++slot)
      require_same(kernel, w, inputs[i], fmt::format("{}{}", slots[slot], i),
                   inputs[parameters * (1 + slot) + i]);
    require_same(kernel, w, inputs[i], fmt::format("g{}", i), inputs[gradients + i]);
    if (layout.has_squares)
      require_same(kernel, w, inputs[i], fmt::format("g^2{}", i), inputs[layout.squares_at(parameters) + i]);
  }
  if (layout.has_count) {
    require_type(kernel, "iterations", inputs[layout.count_at(parameters)], Type::int64);
    require_shape(kernel, "iterations", inputs[layout.count_at(parameters)], {});
  }
  require_type(kernel, "lr", inputs.back(), inputs[0].type);
  require_shape(kernel, "lr", inputs.back(), {});
  return {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(gradients)};
}

std::vector<TensorSpec> sgd_outputs(Specs inputs, const Attributes& attributes) {
  const auto& sgd = attributes_as<SgdAttributes>(attributes);
  constexpr std::string_view slots[] = {"m"};
  return updated("sgd_update", inputs, layout_of(sgd), slots,
                 sgd.momentum != 0 ? "w.., m.., g.., lr" : "w.., g.., lr (without momentum)");
}

std::vector<TensorSpec> adam_outputs(Specs inputs, const Attributes& attributes) {
  const auto& adam = attributes_as<AdamAttributes>(attributes);
  constexpr std::string_view slots[] = {"m", "v"};
  return updated("adam_update", inputs, layout_of(adam), slots,
                 adam.given_squares ? "w.., m.., v.., iterations, g.., g^2.., lr"
                                    : "w.., m.., v.., iterations, g.., lr");
}

std::vector<TensorSpec> rmsprop_outputs(Specs inputs, const Attributes& attributes) {
  const auto& rms = attributes_as<RmsPropAttributes>(attributes);
  const bool has_momentum = rms.momentum != 0;
  const std::string_view slots[] = {"rms", has_momentum ? "momentum" : "mean", "mean"};
  const std::string order = fmt::format("w.., rms.., {}{}g.., {}lr", has_momentum ? "momentum.., " : "",
                                        rms.centered ? "mean.., " : "", rms.given_squares ? "g^2.., " : "");
  return updated("rmsprop_update", inputs, layout_of(rms), slots, order);
}

// The gradient of a table of embeddings as ids and a row for each of them.
std::vector<TensorSpec> sgd_rows_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "sgd_update_rows";
  attributes_as<NoAttributes>(attributes);
  require_count(name, inputs, 4);
  require_floating(name, "w", inputs[0]);
  require_rank(name, "w", inputs[0], 2);
  require_index_type(name, "ids", inputs[1]);
  require_same_type(name, "w", inputs[0], "dy", inputs[2]);
  Shape rows = inputs[1].shape;
  rows.append(inputs[0].shape[1]);
  require_shape(name, "dy", inputs[2], rows);
  require_type(name, "lr", inputs[3], inputs[0].type);
  require_shape(name, "lr", inputs[3], {});
  return {inputs[0]};
}

// Counts the steps per element of the parameters. The few scalars that a step computes once are left out.
Work per_parameter(const Call& call, const OptimizerLayout& layout, double flops) {
  std::int64_t elements = 0;
  for (const TensorSpec& w : call.inputs.first(layout.parameters(call.inputs.size())))
    elements += w.elements();
  return {Flops(flops * static_cast<double>(elements)), operand_bytes(call), {}};
}

constexpr int decay_flops = 3;

Work sgd_work(const Call& call) {
  const auto& sgd = attributes_as<SgdAttributes>(call.attributes);
  const int step = sgd.momentum == 0 ? 2 : sgd.nesterov ? 6 : 4;
  return per_parameter(call, layout_of(sgd), step + (sgd.weight_decay != 0 ? decay_flops : 0));
}

// Adds the rows of equal ids and updates each row once: at most as many rows of the table are read and
// written as there are ids.
Work sgd_rows_work(const Call& call) {
  const Bytes rows = std::min(call.inputs[0].bytes(), call.inputs[2].bytes());
  return {Flops(3 * static_cast<double>(call.inputs[2].elements())),
          call.inputs[1].bytes() + call.inputs[2].bytes() + call.inputs[3].bytes() + rows + rows,
          {}};
}

Work adam_work(const Call& call) {
  const auto& adam = attributes_as<AdamAttributes>(call.attributes);
  return per_parameter(call, layout_of(adam),
                       12 - adam.given_squares + (adam.weight_decay != 0 ? decay_flops : 0));
}

Work rmsprop_work(const Call& call) {
  const auto& rms = attributes_as<RmsPropAttributes>(call.attributes);
  return per_parameter(call, layout_of(rms),
                       10 - rms.given_squares + (rms.momentum != 0 ? 2 : 0) + (rms.centered ? 5 : 0));
}

// ---- Examples: two parameters of different shapes.

ExampleOperand values(const Shape& shape, double low = -1, double high = 1) {
  return {{Type::float32, shape}, low, high};
}

ExampleOperand rate() { return values({}, 0.01, 0.1); }

// Operands in groups of two, one for each of the two parameters.
std::vector<ExampleOperand> pairs(int groups) {
  std::vector<ExampleOperand> operands;
  for (int group = 0; group < groups; ++group) operands.insert(operands.end(), {values({3, 5}), values({7})});
  return operands;
}

Example sgd_example(const SgdAttributes& attributes) {
  std::vector<ExampleOperand> operands = pairs(attributes.momentum != 0 ? 3 : 2);
  operands.push_back(rate());
  return {operands, attributes};
}

std::vector<Example> sgd_examples() {
  return {sgd_example({}), sgd_example({.momentum = 0.9}), sgd_example({.momentum = 0.9, .nesterov = true}),
          sgd_example({.momentum = 0.5, .weight_decay = 0.01})};
}

std::vector<Example> sgd_rows_examples() {
  return {{{values({5, 4}), {{Type::int64, {2, 3}}, 0, 5}, values({2, 3, 4}), rate()}},
          {{values({3, 2}), {{Type::int32, {7}}, 0, 3}, values({7, 2}), rate()}}};
}

// Mean squares must be positive and, for centered RMSprop, larger than the square of the mean.
std::vector<ExampleOperand> squares() { return {values({3, 5}, 1, 2), values({7}, 1, 2)}; }

void extend(std::vector<ExampleOperand>& operands, const std::vector<ExampleOperand>& more) {
  operands.insert(operands.end(), more.begin(), more.end());
}

Example adam_example(const AdamAttributes& attributes) {
  std::vector<ExampleOperand> operands = pairs(2);
  extend(operands, squares());
  operands.push_back({{Type::int64, {}}, 0, 5});
  extend(operands, pairs(1));
  if (attributes.given_squares) extend(operands, squares());
  operands.push_back(rate());
  return {operands, attributes};
}

std::vector<Example> adam_examples() {
  return {adam_example({}),
          adam_example({.beta_1 = 0.5, .beta_2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.01}),
          adam_example({.given_squares = true}), adam_example({.weight_decay = 0.01, .given_squares = true})};
}

Example rmsprop_example(const RmsPropAttributes& attributes) {
  std::vector<ExampleOperand> operands = pairs(1);
  extend(operands, squares());
  extend(operands, pairs(1 + (attributes.momentum != 0) + attributes.centered));
  if (attributes.given_squares) extend(operands, squares());
  operands.push_back(rate());
  return {operands, attributes};
}

std::vector<Example> rmsprop_examples() {
  return {rmsprop_example({}),
          rmsprop_example({.momentum = 0.9}),
          rmsprop_example({.centered = true}),
          rmsprop_example({.rho = 0.8, .momentum = 0.5, .centered = true}),
          rmsprop_example({.given_squares = true}),
          rmsprop_example({.momentum = 0.5, .centered = true, .given_squares = true})};
}

// The positions of the ids, sorted by id.
Bytes sgd_rows_workspace(const Call& call) {
  return Bytes(call.inputs[1].elements() * static_cast<std::int64_t>(sizeof(std::int64_t)));
}

constexpr Kernel rows_of_optimizer_kernels[] = {
    {.name = "sgd_update",
     .summary = "(w.., [m..], g.., lr): (w'.., [m'..]) by stochastic gradient descent",
     .outputs = sgd_outputs,
     .work = sgd_work,
     .examples = sgd_examples,
     .apply = cpu::apply_sgd_update,
     .in_place = true},
    {.name = "sgd_update_rows",
     .summary = "w, ids, dy, lr -> w': stochastic gradient descent of the rows of a table with these ids",
     .outputs = sgd_rows_outputs,
     .work = sgd_rows_work,
     .examples = sgd_rows_examples,
     .apply = cpu::apply_sgd_update_rows,
     .workspace = sgd_rows_workspace,
     .in_place = true},
    {.name = "adam_update",
     .summary = "(w.., m.., v.., iterations, g.., [g^2..], lr): (w'.., m'.., v'.., iterations + 1) by Adam",
     .outputs = adam_outputs,
     .work = adam_work,
     .examples = adam_examples,
     .apply = cpu::apply_adam_update,
     .in_place = true},
    {.name = "rmsprop_update",
     .summary = "(w.., rms.., [momentum..], [mean..], g.., [g^2..], lr): (w'.., rms'.., ...) by RMSprop",
     .outputs = rmsprop_outputs,
     .work = rmsprop_work,
     .examples = rmsprop_examples,
     .apply = cpu::apply_rmsprop_update,
     .in_place = true},
};

}  // namespace

std::span<const Kernel> optimizer_kernels() { return rows_of_optimizer_kernels; }

}  // namespace wt
