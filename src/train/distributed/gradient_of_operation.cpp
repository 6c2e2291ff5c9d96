#include "train/distributed/gradient_of_operation.h"

#include <algorithm>

#include "program/operations.h"
#include "program/trace.h"
#include "train/distributed/contexts.h"
#include "train/distributed/step_recorder.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

// Executes the nodes of a program that a value needs, one by one.
class Interpreter {
 public:
  explicit Interpreter(const Program& program) : program_(program) {}

  void bind(ValueId value, const EagerTensor& numbers) { known_.insert_or_assign(value, numbers); }

  const EagerTensor& evaluated(ValueId value) {
    if (!known_.contains(value)) execute(node_of(value));
    return known_.at(value);
  }

 private:
  const Node& node_of(ValueId value) const {
    const auto makes = [&](const Node& node) {
      return std::ranges::find(node.outputs, value) != node.outputs.end();
    };
    const auto found = std::ranges::find_if(program_.nodes, makes);
    WT_EXPECT(found != program_.nodes.end(), "no node computes %{}", index(value));
    return *found;
  }

  void execute(const Node& node) {
    std::vector<EagerTensor> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(evaluated(input));
    if (const auto* reshape = std::get_if<Reshape>(&node.operation))
      return bind(node.outputs[0], {inputs[0].numbers.reshaped(reshape->shape), inputs[0].device});
    const Apply& call = std::get<Apply>(node.operation);
    const std::vector<EagerTensor> outputs = executed(call.kernel->name, call.attributes, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) bind(node.outputs[i], outputs[i]);
  }

  const Program& program_;
  std::map<ValueId, EagerTensor> known_{};
};

// The gradients of sum(output * of_output), whose first step back is of_output itself.
std::vector<Gradient> back(std::string_view kernel, const Attributes& attributes,
                           const std::vector<EagerTensor>& inputs, const EagerTensor& output,
                           const EagerTensor& of_output) {
  Trace trace("gradient");
  std::vector<Symbol> symbols;
  for (const EagerTensor& input : inputs) symbols.push_back(trace.input("", input.numbers.spec()));
  const Symbol result = trace.apply(kernel, symbols, attributes)[0];
  const Symbol factor = trace.input("", of_output.numbers.spec());
  const Symbol loss = reduce_sum(result * factor);

  std::vector<Symbol> of{result};
  std::vector<std::size_t> differentiable;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (is_floating(inputs[i].numbers.type())) {
      differentiable.push_back(i);
      of.push_back(symbols[i]);
    }
  const std::vector<Symbol> gradients = trace.gradient(loss, of);

  Interpreter interpreter(trace.program());
  for (std::size_t i = 0; i < inputs.size(); ++i) interpreter.bind(symbols[i].value, inputs[i]);
  interpreter.bind(result.value, output);
  interpreter.bind(gradients[0].value, of_output);
  std::vector<Gradient> of_inputs(inputs.size());
  for (std::size_t i = 0; i < differentiable.size(); ++i)
    of_inputs[differentiable[i]] = interpreter.evaluated(gradients[i + 1].value);
  return of_inputs;
}

}  // namespace

std::vector<EagerTensor> executed(std::string_view kernel, const Attributes& attributes,
                                  std::span<const EagerTensor> inputs) {
  const std::vector<EagerTensor> outputs = current_eager().apply(kernel, attributes, inputs);
  StepRecorder::operation(kernel, attributes, inputs, outputs);
  return outputs;
}

void record_operation(std::string_view kernel, const Attributes& attributes,
                      std::span<const EagerTensor> inputs, const EagerTensor& output) {
  if (!GradientTape::is_recording()) return;
  const std::vector<EagerTensor> given(inputs.begin(), inputs.end());
  GradientTape::record(given, output,
                       [name = std::string(kernel), attributes, given, output](const EagerTensor& of) {
                         return back(name, attributes, given, output, of);
                       });
}

}  // namespace wt::train
