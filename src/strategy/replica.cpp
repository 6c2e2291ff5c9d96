#include "strategy/replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"

namespace wt::strategy {

namespace {

using plan::BufferId;
using plan::BufferKind;
using plan::Operand;

BufferKind kind_of(const std::string& scope) {
  return scope.starts_with("gradient") ? BufferKind::gradient : BufferKind::activation;
}

class ReplicaLowering {
 public:
  ReplicaLowering(const Step& step, Replica replica, plan::Plan& plan)
      : step_(step),
        device_(replica.device),
        host_(replica.host),
        plan_(plan),
        buffers_(step.program.values.size()) {}

  void lower() {
    find_roots();
    find_updates();
    find_last_reads();
    add_ports();
    for (std::size_t node = 0; node < step_.program.nodes.size(); ++node) lower_node(node);
    move_updates();
    for (std::size_t i = 0; i < step_.results.size(); ++i)
      plan_.results.push_back({step_.results[i].name,
                               copied_results_[i] ? *copied_results_[i] : operand(step_.results[i].value)});
  }

 private:
  // Operations that hand on their input's numbers: on one replica, cross-replica operations too.
  static bool is_identity(const Operation& operation) {
    return !std::holds_alternative<Apply>(operation) && !std::holds_alternative<Update>(operation);
  }

  // The value whose buffer a value shares.
  void find_roots() {
    for (std::size_t i = 0; i < step_.program.values.size(); ++i) roots_.push_back(static_cast<ValueId>(i));
    for (const wt::Node& node : step_.program.nodes)
      if (is_identity(node.operation)) roots_[index(node.outputs[0])] = root(node.inputs[0]);
  }

  void find_updates() {
    new_value_of_.resize(step_.variables.size());
    for (const wt::Node& node : step_.program.nodes)
      if (const auto* update = std::get_if<Update>(&node.operation))
        new_value_of_[index(update->variable)] = node.inputs[0];
  }

  // By root: the last node that reads it under any shape. Results are read after the step.
  void find_last_reads() {
    last_read_.assign(roots_.size(), -1);
    const std::vector<std::int32_t> reads = last_reads(step_);
    for (std::size_t i = 0; i < roots_.size(); ++i)
      last_read_[index(roots_[i])] = std::max(last_read_[index(roots_[i])], reads[i]);
  }

  void add_ports() {
    for (const NamedValue& input : step_.inputs) {
      give_buffer(input.value, input.name, BufferKind::input);
      plan_.inputs.push_back({input.name, host_ ? fed_from_host(input) : operand(input.value)});
    }
    for (const Variable& variable : step_.variables) {
      give_buffer(variable.value, variable.name,
                  variable.is_slot ? BufferKind::optimizer_slot : BufferKind::variable);
      plan_.variables.push_back({variable.name, operand(variable.value)});
    }
    for (const NamedValue& result : step_.results) add_result(result);
    for (std::size_t i = 0; i < step_.variables.size(); ++i) save_new_value(i);
  }

  // The input pipeline leaves its rows on the host.
  Operand fed_from_host(const NamedValue& input) {
    const Operand target = operand(input.value);
    const Operand source{plan_.add_buffer({input.name, *host_, target.spec.bytes(), BufferKind::input, {}}),
                         target.spec};
    plan_.add_node(plan::Move{source, target}, "input");
    return source;
  }

  // A result that is an input's or a variable's value is copied before anything overwrites it.
  void add_result(const NamedValue& result) {
    copied_results_.emplace_back();
    if (!buffers_[index(root(result.value))]) {
      results_.push_back(root(result.value));
      return;
    }
    copied_results_.back() = copy_of(result.value, result.name, BufferKind::result);
  }

  // So is a variable's value that another variable takes over.
  void save_new_value(std::size_t variable) {
    saved_new_values_.emplace_back();
    if (!new_value_of_[variable]) return;
    const ValueId source = root(*new_value_of_[variable]);
    if (source == step_.variables[variable].value || !buffers_[index(source)]) return;
    saved_new_values_.back() =
        copy_of(*new_value_of_[variable], step_.variables[variable].name + "#new", BufferKind::activation);
  }

  Operand copy_of(ValueId value, std::string name, BufferKind kind) {
    const Operand source = operand(value);
    const Operand copy{plan_.add_buffer({std::move(name), device_, source.spec.bytes(), kind, {}}),
                       source.spec};
    plan_.add_node(plan::Move{source, copy}, "");
    return copy;
  }

  void lower_node(std::size_t position) {
    const wt::Node& node = step_.program.nodes[position];
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr) return;
    plan::Run run{.device = device_, .kernel = apply->kernel, .attributes = apply->attributes};
    for (const ValueId input : node.inputs) run.inputs.push_back(operand(input));
    for (std::size_t j = 0; j < node.outputs.size(); ++j) {
      give_output_buffer(position, j);
      run.outputs.push_back(operand(node.outputs[j]));
    }
    run.workspace = workspace(run, position);
    plan_.add_node(std::move(run), node.scope);
  }

  void give_output_buffer(std::size_t position, std::size_t j) {
    const wt::Node& node = step_.program.nodes[position];
    const ValueId output = node.outputs[j];
    if (may_take_place(position, j)) {
      buffers_[index(output)] = buffers_[index(root(node.inputs[j]))];
      return;
    }
    give_buffer(output, value_name(output, position, j),
                is_result(output) ? BufferKind::result : kind_of(node.scope));
  }

  // Whether output j may be written where input j lies. Variables are overwritten only by their own new
  // value, inputs never; results are read after the step, so they never give way.
  bool may_take_place(std::size_t position, std::size_t j) const {
    const wt::Node& node = step_.program.nodes[position];
    if (!std::get<Apply>(node.operation).kernel->in_place || j >= node.inputs.size()) return false;
    const ValueId input = root(node.inputs[j]);
    const ValueId output = node.outputs[j];
    if (step_.program.spec(node.inputs[j]) != step_.program.spec(output)) return false;
    if (last_read_[index(input)] != static_cast<std::int32_t>(position)) return false;
    if (std::count(node.inputs.begin(), node.inputs.end(), node.inputs[j]) > 1) return false;
    switch (plan_.buffer(*buffers_[index(input)]).kind) {
      case BufferKind::variable:
      case BufferKind::optimizer_slot:
        return is_new_value_of_owner(input, output);
      case BufferKind::activation:
      case BufferKind::gradient:
        return !is_result(output);
      default:
        return false;
    }
  }

  bool is_new_value_of_owner(ValueId input, ValueId output) const {
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      if (step_.variables[i].value == input) return new_value_of_[i] == output;
    return false;
  }

  std::optional<BufferId> workspace(const plan::Run& run, std::size_t position) {
    std::vector<TensorSpec> inputs;
    std::vector<TensorSpec> outputs;
    for (const Operand& input : run.inputs) inputs.push_back(input.spec);
    for (const Operand& output : run.outputs) outputs.push_back(output.spec);
    const Bytes size = workspace_bytes(*run.kernel, {inputs, outputs, run.attributes});
    if (size.count() == 0) return std::nullopt;
    return plan_.add_buffer(
        {fmt::format("{}#{}", run.kernel->name, position), device_, size, BufferKind::workspace, {}});
  }

  // New values that were not written in place are moved to their variables last.
  void move_updates() {
    for (std::size_t i = 0; i < step_.variables.size(); ++i) {
      if (!new_value_of_[i]) continue;
      const Operand source = saved_new_values_[i] ? *saved_new_values_[i] : operand(*new_value_of_[i]);
      const Operand target = operand(step_.variables[i].value);
      if (source.buffer != target.buffer) plan_.add_node(plan::Move{source, target}, step_.variables[i].name);
    }
  }

  ValueId root(ValueId value) const { return roots_[index(value)]; }

  bool is_result(ValueId value) const {
    return std::find(results_.begin(), results_.end(), root(value)) != results_.end();
  }

  void give_buffer(ValueId value, std::string name, BufferKind kind) {
    const Bytes bytes = step_.program.spec(value).bytes();
    buffers_[index(value)] = plan_.add_buffer({std::move(name), device_, bytes, kind, {}});
  }

  std::string value_name(ValueId value, std::size_t position, std::size_t j) const {
    for (const NamedValue& result : step_.results)
      if (result.value == value) return result.name;
    const wt::Node& node = step_.program.nodes[position];
    const std::string suffix = j == 0 ? "" : fmt::format(".{}", j);
    return fmt::format("{}{}{}#{}{}", node.scope, node.scope.empty() ? "" : "/", name(node.operation),
                       position, suffix);
  }

  Operand operand(ValueId value) const {
    const std::optional<BufferId>& buffer = buffers_[index(root(value))];
    expect(buffer.has_value(), "value {} is read before it is written", index(value));
    return {*buffer, step_.program.spec(value)};
  }

  const Step& step_;
  plan::DeviceId device_;
  std::optional<plan::DeviceId> host_;
  plan::Plan& plan_;
  std::vector<std::optional<BufferId>> buffers_;  // by root value
  std::vector<ValueId> roots_{};
  std::vector<ValueId> results_{};                          // roots that the step computes
  std::vector<std::optional<Operand>> copied_results_{};    // by result
  std::vector<std::optional<Operand>> saved_new_values_{};  // by variable
  std::vector<std::optional<ValueId>> new_value_of_{};      // by variable
  std::vector<std::int32_t> last_read_{};                   // by root value
};

}  // namespace

void lower_replica(const Step& step, Replica replica, plan::Plan& plan) {
  ReplicaLowering(step, replica, plan).lower();
}

}  // namespace wt::strategy
