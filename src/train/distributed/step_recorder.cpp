#include "train/distributed/step_recorder.h"

#include <fmt/format.h>

#include <array>

namespace wt::train {

namespace {

thread_local StepRecorder* recorder = nullptr;

}  // namespace

StepRecorder::Here::Here(StepRecorder& here) { recorder = &here; }
StepRecorder::Here::~Here() { recorder = nullptr; }
StepRecorder* StepRecorder::here() { return recorder; }

Symbol StepRecorder::symbol_of(const EagerTensor& tensor) {
  const Identity identity{tensor.numbers.view().data, tensor.numbers.shape().elements()};
  auto known = known_.find(identity);
  if (known == known_.end()) {
    kept_.push_back(tensor);
    known = known_.emplace(identity, trace_.input(fmt::format("input_{}", inputs_++), tensor.numbers.spec()))
                .first;
  }
  const Symbol symbol = known->second;
  if (symbol.shape() == tensor.numbers.shape()) return symbol;
  const std::array inputs{symbol};
  return trace_.append(Reshape{tensor.numbers.shape()}, inputs)[0];
}

Symbol StepRecorder::consumed(const EagerTensor& tensor) {
  const Symbol symbol = symbol_of(tensor);
  results_.erase(symbol.value);
  const auto known = known_.find({tensor.numbers.view().data, tensor.numbers.shape().elements()});
  results_.erase(known->second.value);  // of which the symbol may be a reshaped one
  return symbol;
}

void StepRecorder::produced(const EagerTensor& tensor, Symbol symbol) {
  name_value(tensor, symbol);
  results_.insert(symbol.value);
}

void StepRecorder::operation(std::string_view kernel, const Attributes& attributes,
                             std::span<const EagerTensor> inputs, std::span<const EagerTensor> outputs) {
  std::vector<Symbol> symbols;
  for (const EagerTensor& input : inputs) symbols.push_back(consumed(input));
  const std::vector<Symbol> made = trace_.apply(kernel, symbols, attributes);
  for (std::size_t i = 0; i < made.size(); ++i) produced(outputs[i], made[i]);
}

void StepRecorder::all_reduced(ReduceOp op, const EagerTensor& given, const EagerTensor& reduced) {
  const std::array inputs{consumed(given)};
  const Reduction reduction = op == ReduceOp::sum ? Reduction::sum : Reduction::mean;
  produced(reduced, trace_.append(AllReduce{reduction}, inputs)[0]);
}

void StepRecorder::gathered(const EagerTensor& given, const EagerTensor& all) {
  const std::int64_t own = given.numbers.shape()[0];
  if (own == 0 || all.numbers.shape()[0] % own != 0) return;
  const std::array inputs{consumed(given)};
  produced(all, trace_.append(Gather{all.numbers.shape()[0] / own}, inputs)[0]);
}

Symbol StepRecorder::variable_of(const Variable& copy) {
  const auto known = variables_.find(copy.common_name());
  if (known != variables_.end()) return known->second;
  const VariableOptions options{.trainable = copy.trainable(), .synchronization = copy.synchronization()};
  const Symbol made = trace_.variable(copy.common_name(), {copy.dtype(), copy.shape()}, options);
  variables_.emplace(copy.common_name(), made);
  return made;
}

void StepRecorder::name_value(const EagerTensor& value, Symbol symbol) {
  kept_.push_back(value);
  known_.insert_or_assign({value.numbers.view().data, value.numbers.shape().elements()}, symbol);
}

void StepRecorder::read(const Variable& copy) {
  const EagerTensor& value = copy.stored();
  if (!known_.contains({value.numbers.view().data, value.numbers.shape().elements()}))
    name_value(value, variable_of(copy));
}

void StepRecorder::assigned(const Variable& copy, std::string_view kernel, const EagerTensor& before,
                            const EagerTensor& given) {
  Symbol value = consumed(given);
  if (!kernel.empty()) {
    const bool is_read = known_.contains({before.numbers.view().data, before.numbers.shape().elements()});
    if (!is_read) name_value(before, variable_of(copy));
    const std::array operands{symbol_of(before), value};
    value = trace_.apply(kernel, operands)[0];
  }
  trace_.update_again(variable_of(copy), value);
  name_value(copy.stored(), value);
}

// What nothing has consumed is a result, so that no operation is dropped.
Step StepRecorder::finish() && {
  std::size_t number = 0;
  for (const ValueId value : results_) trace_.result(fmt::format("result_{}", number++), {&trace_, value});
  return std::move(trace_).finish();
}

}  // namespace wt::train
