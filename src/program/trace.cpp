#include "program/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/differentiate.h"

namespace wt {

TensorSpec Symbol::spec() const { return trace->program().spec(value); }

Symbol Trace::input(std::string name, TensorSpec spec) {
  const ValueId value = step_.program.add_value(spec, name);
  step_.inputs.push_back({std::move(name), value});
  return {this, value};
}

Symbol Trace::variable(std::string name, TensorSpec spec, VariableOptions options) {
  for (const StepVariable& other : step_.variables)
    if (other.name == name)
      throw InputError(fmt::format("[variable] there are two variables named \"{}\"", name), "rename one");
  const ValueId value = step_.program.add_value(spec, name);
  step_.variables.push_back({std::move(name), value, options.trainable, options.synchronization,
                             options.aggregation, std::move(options.slot_of)});
  return {this, value};
}

// The variable to which the value may be assigned.
VariableId Trace::updated(Symbol variable, Symbol value) const {
  const auto of_symbol = [&](const StepVariable& candidate) { return candidate.value == variable.value; };
  const auto found = std::find_if(step_.variables.begin(), step_.variables.end(), of_symbol);
  if (found == step_.variables.end())
    throw InputError("[update] the first argument is not a variable", "pass what Trace::variable returned");
  if (variable.spec() != value.spec())
    throw InputError(fmt::format("[update] variable \"{}\" is {}, its new value is {}", found->name,
                                 print(variable.spec()), print(value.spec())),
                     "a variable keeps its type and shape");
  return static_cast<VariableId>(found - step_.variables.begin());
}

std::vector<Node>::const_iterator Trace::update_of(VariableId variable) const {
  return std::ranges::find_if(step_.program.nodes, [&](const Node& node) {
    const auto* update = std::get_if<Update>(&node.operation);
    return update != nullptr && update->variable == variable;
  });
}

void Trace::update(Symbol variable, Symbol value) {
  const VariableId id = updated(variable, value);
  if (update_of(id) != step_.program.nodes.end())
    throw InputError(
        fmt::format("[update] variable \"{}\" is updated twice in a step", step_.variables[index(id)].name),
        "combine the two new values into one");
  append(Update{id}, {{value}});
}

void Trace::update_again(Symbol variable, Symbol value) {
  const VariableId id = updated(variable, value);
  if (const auto before = update_of(id); before != step_.program.nodes.end())
    step_.program.nodes.erase(before);
  append(Update{id}, {{value}});
}

std::optional<Symbol> Trace::updated_value(Symbol variable) {
  for (const Node& node : step_.program.nodes)
    if (const auto* update = std::get_if<Update>(&node.operation);
        update != nullptr && step_.variables[index(update->variable)].value == variable.value)
      return Symbol{this, node.inputs.front()};
  return std::nullopt;
}

void Trace::result(std::string name, Symbol value) {
  step_.results.push_back({std::move(name), value.value});
}

std::vector<Symbol> Trace::apply(std::string_view kernel, std::span<const Symbol> inputs,
                                 Attributes attributes) {
  return append(Apply{&kernel_named(kernel), std::move(attributes)}, inputs);
}

std::vector<Symbol> Trace::append(Operation operation, std::span<const Symbol> inputs) {
  return symbols_of(wt::append(step_.program, std::move(operation), values_of(inputs), scope_));
}

std::vector<Symbol> Trace::gradient(Symbol loss, std::span<const Symbol> of) {
  return symbols_of(differentiate(step_.program, loss.value, values_of(of)));
}

Step Trace::finish() && { return without_unused(std::move(step_)); }

std::vector<ValueId> Trace::values_of(std::span<const Symbol> symbols) const {
  std::vector<ValueId> values;
  for (const Symbol& symbol : symbols) {
    if (symbol.trace != this)
      throw InputError("[trace] a symbol of another step is used here",
                       "use symbols of the step that is being traced");
    values.push_back(symbol.value);
  }
  return values;
}

std::vector<Symbol> Trace::symbols_of(std::span<const ValueId> values) {
  std::vector<Symbol> symbols;
  for (const ValueId value : values) symbols.push_back({this, value});
  return symbols;
}

Trace::Entered::Entered(Trace& entered, std::string_view name)
    : trace(entered), outer(entered.scope_.size()) {
  if (!trace.scope_.empty()) trace.scope_ += '/';
  trace.scope_ += name;
}

Trace::Entered::~Entered() { trace.scope_.resize(outer); }

Step trace(std::string name, const std::function<void(Trace&)>& function) {
  Trace trace(std::move(name));
  function(trace);
  return std::move(trace).finish();
}

}  // namespace wt
