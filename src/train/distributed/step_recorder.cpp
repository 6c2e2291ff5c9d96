#include "train/distributed/step_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/optimizer.h"
#include "train/strategy.h"

namespace wt::train {

namespace {

thread_local std::span<StepRecorder> recorders;

// That of the replica, or the one that all share.
template <class T>
const T& of_replica(std::span<const T> values, std::size_t replica) {
  return values[std::min(replica, values.size() - 1)];
}

}  // namespace

StepRecorder::Here::Here(std::span<StepRecorder> here) : outer_(recorders) { recorders = here; }
StepRecorder::Here::~Here() { recorders = outer_; }
bool StepRecorder::is_recording() { return !recorders.empty(); }

StepRecorder::Here StepRecorder::of(std::size_t replica) {
  return Here(replica < recorders.size() && recorders.size() > 1 ? recorders.subspan(replica, 1) : recorders);
}

// ---- Values

StepRecorder::Identity StepRecorder::identity_of(const EagerTensor& tensor) {
  return {tensor.numbers.view().data, tensor.numbers.shape().elements()};
}

Symbol StepRecorder::symbol_of(const EagerTensor& tensor) {
  auto known = known_.find(identity_of(tensor));
  if (known == known_.end()) {
    kept_.push_back(tensor);
    const Symbol input = trace_.input(fmt::format("input_{}", inputs_++), tensor.numbers.spec());
    known = known_.emplace(identity_of(tensor), input).first;
  }
  return reshaped(known->second, tensor.numbers.shape());
}

Symbol StepRecorder::consumed(const EagerTensor& tensor) {
  const Symbol symbol = symbol_of(tensor);
  results_.erase(symbol.value);
  results_.erase(known_.at(identity_of(tensor)).value);  // of which the symbol may be a reshaped one
  return symbol;
}

void StepRecorder::name_value(const EagerTensor& value, Symbol symbol) {
  kept_.push_back(value);
  known_.insert_or_assign(identity_of(value), symbol);
}

void StepRecorder::produced(const EagerTensor& tensor, Symbol symbol) {
  name_value(tensor, symbol);
  results_.insert(symbol.value);
}

Symbol StepRecorder::append(Operation operation, Symbol input) {
  const std::array inputs{input};
  return trace_.append(std::move(operation), inputs)[0];
}

Symbol StepRecorder::reshaped(Symbol value, const Shape& shape) {
  return value.shape() == shape ? value : append(Reshape{shape}, value);
}

Symbol StepRecorder::number(double value, Type type) {
  return trace_.apply("fill", {}, FillAttributes{{type, {}}, value})[0];
}

void StepRecorder::operation(std::string_view kernel, const Attributes& attributes,
                             std::span<const EagerTensor> inputs, std::span<const EagerTensor> outputs) {
  for (const EagerTensor& input : inputs) share(input);
  for (StepRecorder& step : recorders) {
    std::vector<Symbol> symbols;
    for (const EagerTensor& input : inputs) symbols.push_back(step.consumed(input));
    const std::vector<Symbol> made = step.trace_.apply(kernel, symbols, attributes);
    for (std::size_t i = 0; i < made.size(); ++i) step.produced(outputs[i], made[i]);
  }
}

// ---- Replicas that meet

// Replicas run one program, so a value of one replica has the same number in the steps of the others.
void StepRecorder::share(const EagerTensor& tensor) {
  const auto knows = [&](const StepRecorder& step) { return step.knows(tensor); };
  const auto owner = std::ranges::find_if(recorders, knows);
  if (owner == recorders.end() || std::ranges::all_of(recorders, knows)) return;
  const ValueId value = owner->known_.at(identity_of(tensor)).value;
  for (StepRecorder& step : recorders) step.send_first(value, tensor);
}

void StepRecorder::send_first(ValueId value, const EagerTensor& tensor) {
  if (static_cast<std::size_t>(index(value)) >= trace_.program().values.size()) return;
  results_.erase(value);
  name_value(tensor, append(Broadcast{}, Symbol{&trace_, value}));
}

void StepRecorder::broadcast(std::span<const Addend> values) {
  const auto send = [&](const auto& part_of) {
    for (std::size_t i = 0; i < recorders.size(); ++i) {
      const EagerTensor& own = part_of(of_replica(values, i));
      recorders[i].send_first(recorders[i].consumed(own).value, part_of(values.front()));
    }
  };
  if (std::holds_alternative<EagerTensor>(values.front()))
    return send([](const Addend& value) -> const EagerTensor& { return std::get<EagerTensor>(value); });
  send([](const Addend& value) -> const EagerTensor& { return std::get<IndexedSlices>(value).values; });
  send([](const Addend& value) -> const EagerTensor& { return std::get<IndexedSlices>(value).indices; });
}

void StepRecorder::gathered(std::span<const EagerTensor> values, std::span<const EagerTensor> results) {
  for (std::size_t i = 0; i < recorders.size(); ++i) {
    const EagerTensor &own = of_replica(values, i), &all = of_replica(results, i);
    const std::int64_t rows = own.numbers.shape()[0];
    if (rows == 0 || all.numbers.shape()[0] % rows != 0) continue;
    const Gather gather{all.numbers.shape()[0] / rows};
    recorders[i].produced(all, recorders[i].append(gather, recorders[i].consumed(own)));
  }
}

void StepRecorder::reduced(ReduceOp op, std::span<const Addend> values, std::span<const Addend> results) {
  if (!is_recording()) return;
  if (std::holds_alternative<IndexedSlices>(values.front())) {
    std::vector<EagerTensor> rows, all_rows, ids, all_ids;
    for (const Addend& value : values) {
      rows.push_back(std::get<IndexedSlices>(value).values);
      ids.push_back(std::get<IndexedSlices>(value).indices);
    }
    for (const Addend& result : results) {
      all_rows.push_back(std::get<IndexedSlices>(result).values);
      all_ids.push_back(std::get<IndexedSlices>(result).indices);
    }
    gathered(rows, all_rows);
    return gathered(ids, all_ids);
  }
  const AllReduce all_reduce{op == ReduceOp::sum ? Reduction::sum : Reduction::mean};
  for (std::size_t i = 0; i < recorders.size(); ++i) {
    StepRecorder& step = recorders[i];
    const Symbol value = step.consumed(std::get<EagerTensor>(of_replica(values, i)));
    step.produced(std::get<EagerTensor>(of_replica(results, i)), step.append(all_reduce, value));
  }
}

// ---- Variables

Symbol StepRecorder::declared(const VariableDeclaration& variable) {
  const auto known = variables_.find(variable.number);
  if (known != variables_.end()) return known->second;
  std::string name = variable.name;
  for (int i = 1; names_.contains(name); ++i) name = fmt::format("{}_{}", variable.name, i);
  names_.insert(name);
  return variables_
      .emplace(variable.number, trace_.variable(name, variable.spec,
                                                {.trainable = variable.trainable,
                                                 .synchronization = variable.synchronization}))
      .first->second;
}

void StepRecorder::declare(std::span<const VariableDeclaration> variables) {
  for (const VariableDeclaration& variable : variables) declared(variable);
}

Symbol StepRecorder::variable_of(const Variable& variable) { return declared(variable.declaration()); }

// What a step has assigned to it, or its value before.
Symbol StepRecorder::current(const Variable& variable) {
  const auto changed = changed_.find(variable.number());
  return changed == changed_.end() ? variable_of(variable) : changed->second;
}

void StepRecorder::read(const Variable& variable, const EagerTensor& value) {
  for (StepRecorder& step : recorders)
    step.name_value(value, variable.is_shared() ? step.variable_of(variable) : step.current(variable));
}

void StepRecorder::assigned(const Variable& variable, std::string_view kernel, const EagerTensor& given) {
  share(given);
  for (StepRecorder& step : recorders) step.change(variable, kernel, given);
}

void StepRecorder::scattered(const Variable& variable, const IndexedSlices& slices) {
  if (!is_floating(variable.dtype())) return;
  share(slices.values);
  share(slices.indices);
  for (StepRecorder& step : recorders) step.change_rows(variable, slices);
}

// Whether the value is the same for all replicas, since it follows from something that they have reduced.
bool StepRecorder::is_brought_together(Symbol value) const {
  std::set<ValueId> needed{value.value};
  const std::vector<Node>& nodes = trace_.program().nodes;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto is_needed = [&](ValueId output) { return needed.contains(output); };
    if (std::ranges::none_of(node->outputs, is_needed)) continue;
    const bool is_local =
        std::holds_alternative<Apply>(node->operation) || std::holds_alternative<Reshape>(node->operation);
    if (!is_local) return true;
    needed.insert(node->inputs.begin(), node->inputs.end());
  }
  return false;
}

// To the place of a variable that replicas share.
Symbol StepRecorder::sent(const Variable& variable, Symbol value) {
  if (!variable.is_shared() || is_brought_together(value)) return value;
  return append(AllReduce{Reduction::sum}, value);
}

Symbol StepRecorder::descended(const Variable& variable, Symbol gradient, double rate) {
  const std::array operands{variable_of(variable), gradient, number(rate, variable.dtype())};
  return trace_.apply("sgd_update", operands, SgdAttributes{})[0];
}

void StepRecorder::change(const Variable& variable, std::string_view kernel, const EagerTensor& given) {
  Symbol value = sent(variable, consumed(given));
  const bool is_descent = variable.is_on_servers() && !changed_.contains(variable.number()) &&
                          is_floating(variable.dtype()) && (kernel == "add" || kernel == "subtract");
  if (is_descent) {
    value = descended(variable, value, kernel == "add" ? -1 : 1);
  } else if (!kernel.empty()) {
    const std::array operands{current(variable), value};
    value = trace_.apply(kernel, operands)[0];
  }
  trace_.update_again(variable_of(variable), value);
  changed_.insert_or_assign(variable.number(), value);
}

// All scatter updates read and write as many rows as a descent along them.
void StepRecorder::change_rows(const Variable& variable, const IndexedSlices& slices) {
  const Shape& shape = variable.shape();
  const Shape matrix{shape[0], shape.elements() / std::max<std::int64_t>(1, shape[0])};
  const Symbol ids = consumed(slices.indices);
  const Symbol rows = reshaped(consumed(slices.values), {ids.shape().elements(), matrix[1]});
  Symbol value;
  if (variable.is_on_servers() && !changed_.contains(variable.number())) {
    const std::array look_up{ids, rows};
    const Symbol gradient = trace_.apply("embedding_gradient", look_up, ShapeAttributes{matrix})[0];
    value = descended(variable, reshaped(sent(variable, gradient), shape), 1);
  } else {
    const bool is_sent = variable.is_shared() && !is_brought_together(ids);
    const Gather gather{
        variable.distribute_strategy() ? variable.distribute_strategy()->num_replicas_in_sync() : 1};
    const std::array operands{reshaped(current(variable), matrix), is_sent ? append(gather, ids) : ids,
                              is_sent ? append(gather, rows) : rows, number(1, variable.dtype())};
    value = reshaped(trace_.apply("sgd_update_rows", operands)[0], shape);
  }
  trace_.update_again(variable_of(variable), value);
  changed_.insert_or_assign(variable.number(), value);
}

// What nothing has consumed is a result, so that no operation is dropped.
Step StepRecorder::finish() && {
  std::size_t number = 0;
  for (const ValueId value : results_) trace_.result(fmt::format("result_{}", number++), {&trace_, value});
  return std::move(trace_).finish();
}

}  // namespace wt::train
