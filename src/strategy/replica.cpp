#include "strategy/replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "strategy/collective_ops.h"
#include "strategy/replicas.h"

namespace wt::strategy {

namespace {

using plan::BufferKind;
using plan::Operand;
using plan::Purpose;

BufferKind kind_of(const wt::Node& node) {
  return node.is_gradient ? BufferKind::gradient : BufferKind::activation;
}

constexpr ValueId no_value{-1};

Purpose purpose_of(const wt::Node& node) {
  if (optimizer_layout(node) || name(node.operation) == "sgd_update_rows") return Purpose::update;
  return node.is_gradient ? Purpose::gradient : Purpose::forward;
}

}  // namespace

std::optional<OptimizerLayout> optimizer_layout(const wt::Node& node) {
  const auto* apply = std::get_if<Apply>(&node.operation);
  if (apply == nullptr) return std::nullopt;
  return std::visit(
      [](const auto& attributes) -> std::optional<OptimizerLayout> {
        if constexpr (requires { layout_of(attributes); }) return layout_of(attributes);
        return std::nullopt;
      },
      apply->attributes);
}

std::vector<Part> whole_nodes(const Step& step) {
  std::vector<Part> parts(step.program.nodes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].node = i;
  return parts;
}

std::vector<Part> parameters_of(const Step& step, std::size_t node) {
  const wt::Node& whole = step.program.nodes[node];
  const std::optional<OptimizerLayout> layout = optimizer_layout(whole);
  if (!layout) return {{node}};
  std::vector<Part> parts;
  for (std::size_t i = 0; i < layout->parameters(whole.inputs.size()); ++i) parts.push_back({node, {i}});
  return parts;
}

std::vector<Part> parts_by_device(const Step& step, const LogicalDevices& logical) {
  std::vector<Part> all;
  for (std::size_t node = 0; node < step.program.nodes.size(); ++node) {
    std::map<LogicalId, std::vector<std::size_t>, std::greater<>> parameters;
    for (const Part& part : parameters_of(step, node))
      for (const std::size_t each : part.parameters) parameters[logical.of(node, each)].push_back(each);
    if (parameters.size() < 2) parameters = {{0, {}}};
    for (auto& [device, own] : parameters) all.push_back({node, std::move(own)});
  }
  return all;
}

ReplicaLowering::ReplicaLowering(const Step& step, Replica replica, plan::Plan& plan,
                                 const std::vector<Part>& parts)
    : step_(step),
      replica_(replica),
      plan_(plan),
      prefix_(fmt::format("replica_{}", replica.number)),
      suffix_(port_name("", replica.number)),
      operands_(step.program.values.size()) {
  find_roots();
  new_value_of_.resize(step_.variables.size());
  for (const Part& part : parts)
    if (const auto* update = std::get_if<Update>(&step_.program.nodes[part.node].operation))
      new_value_of_[index(update->variable)] = step_.program.nodes[part.node].inputs[0];
  count_reads(parts);
}

// Operations whose output is their input: a broadcast at its source, a reduction on all other replicas.
bool ReplicaLowering::is_identity(const Operation& operation) const {
  if (std::holds_alternative<Apply>(operation) || std::holds_alternative<Update>(operation)) return false;
  if (std::holds_alternative<Permute>(operation)) return false;
  if (replica_.is_only_one || std::holds_alternative<Reshape>(operation)) return true;
  if (replica_.number == 0) return std::holds_alternative<Broadcast>(operation);
  return std::holds_alternative<Reduce>(operation);
}

void ReplicaLowering::find_roots() {
  for (std::size_t i = 0; i < step_.program.values.size(); ++i) roots_.push_back(static_cast<ValueId>(i));
  for (const wt::Node& node : step_.program.nodes)
    if (is_identity(node.operation)) roots_[index(node.outputs[0])] = root(node.inputs[0]);
}

// Results are read after the step, and new values after all other nodes, so their reads never end.
void ReplicaLowering::count_reads(const std::vector<Part>& parts) {
  reads_left_.assign(roots_.size(), 0);
  for (const Part& part : parts)
    if (!is_update_by_saved_value(part))
      for (const ValueId value : roots_read(part)) ++reads_left_[index(value)];
  for (const NamedValue& result : step_.results) ++reads_left_[index(root(result.value))];
}

// Such a value is copied before all other nodes.
bool ReplicaLowering::is_update_by_saved_value(const Part& part) const {
  const wt::Node& node = step_.program.nodes[part.node];
  if (!std::holds_alternative<Update>(node.operation)) return false;
  const auto is_it = [&](const auto& named) { return named.value == root(node.inputs[0]); };
  return std::ranges::any_of(step_.variables, is_it) || std::ranges::any_of(step_.inputs, is_it);
}

std::vector<std::size_t> ReplicaLowering::positions(const Part& part, bool outputs) const {
  const wt::Node& node = step_.program.nodes[part.node];
  std::vector<std::size_t> all;
  if (part.parameters.empty()) {
    for (std::size_t i = 0; i < (outputs ? node.outputs : node.inputs).size(); ++i) all.push_back(i);
    return all;
  }
  const OptimizerLayout layout = *optimizer_layout(node);
  const std::size_t count = layout.parameters(node.inputs.size());
  for (std::size_t kind = 0; kind <= layout.slots; ++kind)
    for (const std::size_t parameter : part.parameters) all.push_back(kind * count + parameter);
  if (layout.has_count) all.push_back(layout.count_at(count));
  if (outputs) return all;
  for (const std::size_t parameter : part.parameters) all.push_back(layout.gradients_at(count) + parameter);
  if (layout.has_squares)
    for (const std::size_t parameter : part.parameters) all.push_back(layout.squares_at(count) + parameter);
  all.push_back(node.inputs.size() - 1);  // the learning rate
  return all;
}

std::vector<ValueId> ReplicaLowering::roots_read(const Part& part) const {
  const wt::Node& node = step_.program.nodes[part.node];
  std::vector<ValueId> values;
  for (const std::size_t i : positions(part, false)) {
    const ValueId value = root(node.inputs[i]);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

void ReplicaLowering::note_reads(const Part& part) {
  for (const ValueId value : roots_read(part)) --reads_left_[index(value)];
}

plan::DeviceId ReplicaLowering::device_at(LogicalId logical) const {
  return logical == 0 ? replica_.device : replica_.further[logical - 1];
}

plan::DeviceId ReplicaLowering::device_of(const Part& part) const {
  if (replica_.logical == nullptr) return replica_.device;
  const std::size_t parameter = part.parameters.empty() ? 0 : part.parameters.front();
  return device_at(replica_.logical->of(part.node, parameter));
}

plan::DeviceId ReplicaLowering::device_of(ValueId value) const {
  return replica_.logical == nullptr ? replica_.device : device_at(replica_.logical->of(value));
}

// Moved for the first reader on that device. Values are written once, so the copy stays valid.
Operand ReplicaLowering::operand_on(ValueId value, plan::DeviceId device, const std::string& reader) {
  Operand there = operand(value);
  const plan::Buffer& home = plan_.buffer(there.buffer);
  if (home.device == device) return there;
  const auto [copy, is_new] = copies_.try_emplace({root(value), device});
  if (is_new) {
    Operand source = *operands_[index(root(value))];
    copy->second = plan_.add_buffer(
        {home.name + "/received", device, source.spec.bytes(), BufferKind::communication, {}});
    plan_.add_node(plan::Move{source, {copy->second, source.spec, {}}, {}},
                   label(reader.empty() ? "receive" : reader + "/receive", Purpose::transfer));
    plan_.nodes.back().share = share(value);
  }
  there.buffer = copy->second;
  there.offset = {};
  return there;
}

// The input pipeline leaves its rows on the host.
void ReplicaLowering::add_input(const NamedValue& input) {
  const std::string name = own(input.name);
  give_buffer(input.value, device_of(input.value), name, BufferKind::input);
  Operand source = operand(input.value);
  if (replica_.host) {
    const Operand target = source;
    source.buffer = plan_.add_buffer({name, *replica_.host, target.spec.bytes(), BufferKind::input, {}});
    plan_.add_node(plan::Move{source, target, {}}, label("input", Purpose::input_copy));
    const plan::DeviceId there = plan_.buffer(target.buffer).device;
    const bool has_rows = target.spec.shape.rank() > 0;  // a scalar, such as the number of rows, has none
    if (has_rows && plan_.devices[index(there)].holds_next_rows)
      plan_.add_buffer({name + " of the next step", there, target.spec.bytes(), BufferKind::input_ahead, {}});
  }
  plan_.inputs.push_back({name, source});
}

void ReplicaLowering::add_variable(const StepVariable& variable) {
  give_buffer(variable.value, device_of(variable.value), own(variable.name),
              variable.slot_of.empty() ? BufferKind::variable : BufferKind::optimizer_slot);
  plan_.variables.push_back({own(variable.name), operand(variable.value)});
}

void ReplicaLowering::save_values() {
  save_results();
  save_new_values();
}

void ReplicaLowering::save_results() {
  for (const NamedValue& result : step_.results) save_result(result);
}

void ReplicaLowering::save_new_values() {
  for (std::size_t i = 0; i < step_.variables.size(); ++i) save_new_value(i);
}

// A result that is an input's or a variable's value is copied before anything overwrites it.
void ReplicaLowering::save_result(const NamedValue& result) {
  copied_results_.emplace_back();
  if (!operands_[index(root(result.value))]) {
    results_.push_back(root(result.value));
    return;
  }
  copied_results_.back() = copy_of(result.value, own(result.name), BufferKind::result);
}

// The same holds for the value of a variable that another variable takes over.
void ReplicaLowering::save_new_value(std::size_t variable) {
  saved_new_values_.emplace_back();
  if (!new_value_of_[variable]) return;
  const ValueId source = root(*new_value_of_[variable]);
  if (source == step_.variables[variable].value || !operands_[index(source)]) return;
  saved_new_values_.back() =
      copy_of(*new_value_of_[variable], own(step_.variables[variable].name) + "#new", BufferKind::activation);
}

Operand ReplicaLowering::copy_of(ValueId value, std::string name, BufferKind kind) {
  const Operand source = operand(value);
  const Operand copy{
      plan_.add_buffer({std::move(name), plan_.buffer(source.buffer).device, source.spec.bytes(), kind, {}}),
      source.spec,
      {}};
  plan_.add_node(plan::Move{source, copy, {}}, label("", Purpose::other));
  return copy;
}

void ReplicaLowering::lower(const Part& part) {
  const wt::Node& node = step_.program.nodes[part.node];
  if (const auto* apply = std::get_if<Apply>(&node.operation)) {
    plan::Run run{.device = device_of(part), .kernel = apply->kernel, .attributes = apply->attributes};
    const std::vector<std::size_t> inputs = positions(part, false), outputs = positions(part, true);
    for (const std::size_t i : inputs)
      run.inputs.push_back(operand_on(node.inputs[i], run.device, node.scope));
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      give_output_buffer(part, outputs[j], j < inputs.size() ? node.inputs[inputs[j]] : no_value);
      run.outputs.push_back(operand(node.outputs[outputs[j]]));
    }
    run.workspace = workspace(run, part.node);
    const plan::DeviceId device = run.device;
    last_runs_[device] = plan_.add_node(std::move(run), label(node.scope, purpose_of(node)));
    plan_.nodes.back().share = share(node.outputs[0]);
    if (!first_run_) first_run_ = last_runs_[device];
  }
  if (const auto* permute = std::get_if<Permute>(&node.operation)) {
    const Operand input = operand(node.inputs[0]), output = define_buffer(node.outputs[0], part);
    add_permute(plan_, *permute, {&input, 1}, {&output, 1}, label("permute", Purpose::permute));
  }
  if (!std::holds_alternative<Update>(node.operation)) note_reads(part);
}

void ReplicaLowering::give_output_buffer(const Part& part, std::size_t output, ValueId input) {
  const wt::Node& node = step_.program.nodes[part.node];
  const ValueId value = node.outputs[output];
  const Apply& apply = std::get<Apply>(node.operation);
  const auto is_same = [&](ValueId other) { return root(other) == root(input); };
  if (apply.kernel->in_place && input != no_value && std::ranges::count_if(node.inputs, is_same) == 1 &&
      may_take_place(input, value, device_of(part))) {
    operands_[index(value)] = operand(input);
    return;
  }
  define_buffer(value, part);
}

// A variable is overwritten only by its own new value, an input never, and a result never because it is read
// after the step.
bool ReplicaLowering::may_take_place(ValueId input, ValueId output, plan::DeviceId device) const {
  const plan::Buffer& place = plan_.buffer(operands_[index(root(input))]->buffer);
  if (step_.program.spec(input) != step_.program.spec(output) || reads_left_[index(root(input))] != 1 ||
      place.device != device)
    return false;
  switch (place.kind) {
    case BufferKind::variable:
    case BufferKind::optimizer_slot:
      return is_new_value_of_owner(root(input), output);
    case BufferKind::activation:
    case BufferKind::gradient:
      return !is_result(output);
    default:
      return false;
  }
}

bool ReplicaLowering::may_overwrite(ValueId value) const {
  const BufferKind kind = plan_.buffer(operand(value).buffer).kind;
  return reads_left_[index(root(value))] == 1 &&
         (kind == BufferKind::activation || kind == BufferKind::gradient);
}

bool ReplicaLowering::is_ready(const Part& part) const {
  return std::ranges::all_of(roots_read(part),
                             [&](ValueId value) { return operands_[index(value)].has_value(); });
}

void ReplicaLowering::keep(ValueId value) { ++reads_left_[index(root(value))]; }

bool ReplicaLowering::is_new_value_of_owner(ValueId input, ValueId output) const {
  for (std::size_t i = 0; i < step_.variables.size(); ++i)
    if (step_.variables[i].value == input) return new_value_of_[i] == output;
  return false;
}

std::optional<plan::BufferId> ReplicaLowering::workspace(const plan::Run& run, std::size_t node) {
  std::vector<TensorSpec> inputs, outputs;
  for (const Operand& input : run.inputs) inputs.push_back(input.spec);
  for (const Operand& output : run.outputs) outputs.push_back(output.spec);
  const Bytes size = workspace_bytes(*run.kernel, {inputs, outputs, run.attributes});
  if (size.count() == 0) return std::nullopt;
  return plan_.add_buffer(
      {own(fmt::format("{}#{}", run.kernel->name, node)), run.device, size, BufferKind::workspace, {}});
}

// New values that were not written in place.
void ReplicaLowering::move_updates() {
  for (std::size_t i = 0; i < step_.variables.size(); ++i) {
    if (!new_value_of_[i]) continue;
    const Operand source = saved_new_values_[i] ? *saved_new_values_[i] : operand(*new_value_of_[i]);
    const Operand target = operand(step_.variables[i].value);
    if (source.buffer != target.buffer)
      plan_.add_node(plan::Move{source, target, {}}, label(step_.variables[i].name, Purpose::update));
  }
}

void ReplicaLowering::add_results() {
  for (std::size_t i = 0; i < step_.results.size(); ++i) {
    const std::string name = own(step_.results[i].name);
    const Operand result = copied_results_[i] ? *copied_results_[i] : operand(step_.results[i].value);
    plan_.results.push_back({name, step_.fetches_results ? fetched(result, name) : result});
  }
}

// On the replica's host.
Operand ReplicaLowering::fetched(const Operand& result, const std::string& name) {
  if (!replica_.host || plan_.buffer(result.buffer).device == *replica_.host) return result;
  const Operand there{
      plan_.add_buffer({name + "/fetched", *replica_.host, result.spec.bytes(), BufferKind::result, {}}),
      result.spec,
      {}};
  plan_.add_node(plan::Move{result, there, {}}, label("output", Purpose::output_copy));
  return there;
}

Operand ReplicaLowering::operand(ValueId value) const {
  const std::optional<Operand>& found = operands_[index(root(value))];
  WT_EXPECT(found.has_value(), "value {} is read before it is written", index(value));
  const TensorSpec& spec = step_.program.spec(value);
  return {found->buffer, root(value) == value ? found->spec : spec, found->offset};
}

void ReplicaLowering::define(ValueId value, Operand operand) { operands_[index(root(value))] = operand; }

Operand ReplicaLowering::define_buffer(ValueId value, const Part& part, std::optional<TensorSpec> spec) {
  const auto& outputs = step_.program.nodes[part.node].outputs;
  const auto output = static_cast<std::size_t>(std::ranges::find(outputs, value) - outputs.begin());
  give_buffer(value, device_of(part), value_name(value, part.node, output),
              is_result(value) ? BufferKind::result : kind_of(step_.program.nodes[part.node]), spec);
  return operand(value);
}

void ReplicaLowering::give_buffer(ValueId value, plan::DeviceId device, const std::string& name,
                                  BufferKind kind, std::optional<TensorSpec> given) {
  const TensorSpec spec = given.value_or(step_.program.spec(value));
  operands_[index(value)] = Operand{plan_.add_buffer({name, device, spec.bytes(), kind, {}}), spec, {}};
}

bool ReplicaLowering::is_result(ValueId value) const {
  return std::ranges::find(results_, root(value)) != results_.end();
}

std::string ReplicaLowering::value_name(ValueId value, std::size_t node, std::size_t output) const {
  for (const NamedValue& result : step_.results)
    if (result.value == value) return own(result.name);
  // Without fmt::format: large plans have millions of names.
  const wt::Node& made_by = step_.program.nodes[node];
  std::string text = made_by.scope;
  if (!text.empty()) text += '/';
  text += name(made_by.operation);
  text += '#';
  text += std::to_string(node);
  if (output != 0) text += '.' + std::to_string(output);
  return own(std::move(text));
}

std::string ReplicaLowering::own(std::string name) const { return std::move(name) + suffix_; }

plan::Label ReplicaLowering::label(const std::string& within, Purpose purpose, std::int32_t number) const {
  const plan::Role role{purpose, number, static_cast<std::int32_t>(replica_.number)};
  if (replica_.number == 0) return {within, role};
  return {within.empty() ? prefix_ : prefix_ + '/' + within, role};
}

void lower_replica(const Step& step, Replica replica, plan::Plan& plan) {
  const std::vector<Part> parts = whole_nodes(step);
  ReplicaLowering lowering(step, std::move(replica), plan, parts);
  for (const NamedValue& input : step.inputs) lowering.add_input(input);
  for (const StepVariable& variable : step.variables) lowering.add_variable(variable);
  lowering.save_values();
  for (const Part& part : parts) lowering.lower(part);
  lowering.move_updates();
  lowering.add_results();
}

}  // namespace wt::strategy
