#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

void require_classes(std::string_view kernel, std::string_view operand, const TensorSpec& x) {
  require_floating(kernel, operand, x);
  require_rank_at_least(kernel, operand, x, 1);
  if (x.shape.last() == 0) refuse(kernel, fmt::format("{} has no columns: it is {}", operand, print(x)));
}

std::vector<TensorSpec> sparse_softmax_cross_entropy_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "sparse_softmax_cross_entropy";
  attributes_as<NoAttributes>(attributes);
  require_count(name, inputs, 2);
  require_classes(name, "logits", inputs[0]);
  require_index_type(name, "labels", inputs[1]);
  const TensorSpec loss = per_row(inputs[0]);
  if (inputs[1].shape != loss.shape)
    refuse(name, fmt::format("logits is {} and labels is {}", print(inputs[0]), print(inputs[1])),
           fmt::format("labels must have shape {}, one class per row", print(loss.shape)));
  return {loss, inputs[0]};
}

// Checks two operands of the same shape and returns the spec of their loss, one number per row.
template <KernelName name, KernelName prediction, KernelName target>
TensorSpec row_loss(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count(name, inputs, 2);
  require_classes(name, prediction, inputs[0]);
  require_same(name, prediction, inputs[0], target, inputs[1]);
  return per_row(inputs[0]);
}

std::vector<TensorSpec> softmax_cross_entropy_outputs(Specs inputs, const Attributes& attributes) {
  return {row_loss<"softmax_cross_entropy", "logits", "labels">(inputs, attributes), inputs[0]};
}

template <KernelName name, KernelName prediction, KernelName target>
std::vector<TensorSpec> row_loss_outputs(Specs inputs, const Attributes& attributes) {
  return {row_loss<name, prediction, target>(inputs, attributes)};
}

template <KernelName name, KernelName prediction, KernelName target>
std::vector<TensorSpec> row_loss_gradient_outputs(Specs inputs, const Attributes& attributes) {
  require_count(name, inputs, 3);
  const TensorSpec loss = row_loss<name, prediction, target>(inputs.subspan(1), attributes);
  require_same(name, "dloss", inputs[0], "a number per row", loss);
  return {inputs[1]};
}

// Flops per element and per row of operand i.
Work work_of(const Call& call, std::size_t i, double per_element, double per_row) {
  const auto elements = static_cast<double>(call.inputs[i].elements());
  const double rows = elements / static_cast<double>(call.inputs[i].shape.last());
  return {Flops(elements * per_element + rows * per_row), operand_bytes(call), {}};
}

ExampleOperand any_numbers(const Shape& shape) { return {{Type::float32, shape}}; }
ExampleOperand chances(const Shape& shape) { return {{Type::float32, shape}, 0, 1}; }

std::vector<Example> sparse_softmax_cross_entropy_examples() {
  return {{{any_numbers({4, 5}), {{Type::int64, {4}}, 0, 5}}},
          {{any_numbers({2, 3, 3}), {{Type::int32, {2, 3}}, 0, 3}}}};
}
// The labels of a row add up to 1. Only then is softmax - labels the gradient, as TensorFlow assumes.
std::vector<Example> softmax_cross_entropy_examples() {
  const auto even = [](const Shape& shape) {
    const double share = 1.0 / static_cast<double>(shape.last());
    return ExampleOperand{{Type::float32, shape}, share, share};
  };
  return {{{any_numbers({3, 4}), even({3, 4})}},
          {{any_numbers({2, 3, 2}), even({2, 3, 2})}},
          {{any_numbers({16}), even({16})}}};
}

std::vector<Example> row_loss_examples() {
  return {{{any_numbers({4, 5}), chances({4, 5})}},
          {{any_numbers({2, 3, 3}), chances({2, 3, 3})}},
          {{any_numbers({19}), chances({19})}}};
}
std::vector<Example> row_loss_gradient_examples() {
  return {{{any_numbers({4}), any_numbers({4, 5}), chances({4, 5})}},
          {{any_numbers({2, 3}), any_numbers({2, 3, 3}), chances({2, 3, 3})}}};
}

// Softmax has 5 flops per element less 2 per row (softmax's row in normalization.cpp). The sparse loss adds 4
// per row: the logarithm of the sum, two subtractions for the loss and one for backprop.
constexpr Kernel rows_of_loss_kernels[] = {
    {.name = "sparse_softmax_cross_entropy",
     .summary = "logits, labels (classes) -> loss per row, backprop: its gradient, softmax - one_hot",
     .outputs = sparse_softmax_cross_entropy_outputs,
     .work = [](const Call& call) { return work_of(call, 0, 5, 2); },
     .examples = sparse_softmax_cross_entropy_examples,
     .apply = cpu::sparse_softmax_cross_entropy},
    // Per element, in addition to softmax: the log probability, its product with the label, their sum, and
    // the difference in backprop.
    {.name = "softmax_cross_entropy",
     .summary = "logits, labels (probabilities) -> loss per row, backprop: its gradient, softmax - labels",
     .outputs = softmax_cross_entropy_outputs,
     .work = [](const Call& call) { return work_of(call, 0, 9, -2); },
     .examples = softmax_cross_entropy_examples,
     .apply = cpu::softmax_cross_entropy},
    {.name = "mean_squared_error",
     .summary = "prediction, target -> loss: the mean of squared differences along the last axis",
     .outputs = row_loss_outputs<"mean_squared_error", "prediction", "target">,
     .work = [](const Call& call) { return work_of(call, 0, 3, 0); },
     .examples = row_loss_examples,
     .apply = cpu::mean_squared_error},
    {.name = "mean_squared_error_gradient",
     .summary = "dloss, prediction, target -> dprediction",
     .outputs = row_loss_gradient_outputs<"mean_squared_error_gradient", "prediction", "target">,
     .work = [](const Call& call) { return work_of(call, 1, 2, 1); },
     .examples = row_loss_gradient_examples,
     .apply = cpu::mean_squared_error_gradient},
    // Per element: max, product, difference, |x|, its negation, exp, 1 +, log, sum, mean.
    {.name = "binary_cross_entropy",
     .summary =
         "logits, labels -> loss: the mean of max(x, 0) - x y + log(1 + exp(-|x|)) along the last axis",
     .outputs = row_loss_outputs<"binary_cross_entropy", "logits", "labels">,
     .work = [](const Call& call) { return work_of(call, 0, 10, 0); },
     .examples = row_loss_examples,
     .apply = cpu::binary_cross_entropy},
    // Per element: sigmoid (negation, exp, sum, division), difference, product.
    {.name = "binary_cross_entropy_gradient",
     .summary = "dloss, logits, labels -> dlogits",
     .outputs = row_loss_gradient_outputs<"binary_cross_entropy_gradient", "logits", "labels">,
     .work = [](const Call& call) { return work_of(call, 1, 6, 1); },
     .examples = row_loss_gradient_examples,
     .apply = cpu::binary_cross_entropy_gradient},
};

}  // namespace

std::span<const Kernel> loss_kernels() { return rows_of_loss_kernels; }

}  // namespace wt
