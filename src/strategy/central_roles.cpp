#include "strategy/central_roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "strategy/look_ups.h"

namespace wt::strategy {

namespace {

class Finding {
 public:
  Finding(std::string_view strategy, Steps steps, LookUps look_ups)
      : strategy_(strategy), look_ups_(look_ups), steps_(steps), step_(*steps[0]), program_(step_.program) {
    for (const StepVariable& variable : step_.variables) roles_.is_central.push_back(is_on_write(variable));
    roles_.is_pulled.resize(step_.variables.size(), false);
    find_common(mirrored_values(steps));
    find_servers_nodes();
  }

  CentralRoles roles() && {
    for (std::size_t node = 0; node < program_.nodes.size(); ++node) sort_in(node);
    for (const NamedValue& result : step_.results) note_pull(result.value);
    std::ranges::stable_sort(
        roles_.pushed, {}, [&](std::size_t node) { return writer_[index(program_.nodes[node].inputs[0])]; });
    find_foreign_reads();
    return std::move(roles_);
  }

 private:
  // Values that one place can compute for all replicas: they follow from mirrored values and from scalar
  // inputs, such as a learning rate. Other inputs are the rows of each replica.
  void find_common(std::vector<bool> mirrored) {
    is_common_ = std::move(mirrored);
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      if (roles_.is_central[i]) is_common_[index(step_.variables[i].value)] = true;
    for (const NamedValue& input : step_.inputs)
      is_common_[index(input.value)] = program_.spec(input.value).shape.rank() == 0;
    writer_.resize(program_.values.size(), -1);
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      const wt::Node& node = program_.nodes[i];
      const bool is_common =
          !node.inputs.empty() && is_computed(node) && computes_the_same(steps_, i) &&
          std::ranges::all_of(node.inputs, [&](ValueId v) { return is_common_[index(v)]; });
      for (const ValueId output : node.outputs) {
        writer_[index(output)] = static_cast<std::int32_t>(i);
        if (is_common) is_common_[index(output)] = true;
      }
    }
  }

  static bool is_computed(const wt::Node& node) {
    return std::holds_alternative<Apply>(node.operation) || std::holds_alternative<Reshape>(node.operation);
  }

  static bool is_reduction(const wt::Node& node) {
    return std::holds_alternative<AllReduce>(node.operation) ||
           std::holds_alternative<Gather>(node.operation);
  }

  // The server has the output of such a node where it has the input.
  static bool hands_on(const wt::Node& node) {
    return std::holds_alternative<Reshape>(node.operation) ||
           std::holds_alternative<Broadcast>(node.operation);
  }

  // From the last node to the first: the server computes a node if it computes all readers of its outputs.
  void find_servers_nodes() {
    is_servers_.resize(program_.nodes.size(), false);
    std::vector<bool> is_read_elsewhere(program_.values.size(), false),
        is_read(program_.values.size(), false);
    for (const NamedValue& result : step_.results) is_read_elsewhere[index(result.value)] = true;
    for (std::size_t i = program_.nodes.size(); i-- > 0;) {
      const wt::Node& node = program_.nodes[i];
      const bool is_for_server = !node.outputs.empty() && std::ranges::all_of(node.outputs, [&](ValueId v) {
        return !is_read_elsewhere[index(v)];
      }) && std::ranges::any_of(node.outputs, [&](ValueId v) { return is_read[index(v)]; });
      if (std::holds_alternative<Update>(node.operation))
        is_servers_[i] = is_update_at_server(node);
      else if (is_computed(node))
        is_servers_[i] = is_for_server && is_common_[index(node.outputs[0])];
      else if (is_reduction(node) && is_for_server)
        roles_.pushed.insert(roles_.pushed.begin(), i);
      for (const ValueId input : node.inputs) {
        is_read[index(input)] = true;
        if (!is_servers_[i]) is_read_elsewhere[index(input)] = true;
      }
    }
  }

  bool is_update_at_server(const wt::Node& node) const {
    const std::size_t variable = index(std::get<Update>(node.operation).variable);
    const Aggregation aggregation = step_.variables[variable].aggregation;
    const bool is_one_value =
        aggregation == Aggregation::none || aggregation == Aggregation::only_first_replica;
    return roles_.is_central[variable] && is_one_value && is_common_[index(node.inputs[0])];
  }

  void sort_in(std::size_t i) {
    const wt::Node& node = program_.nodes[i];
    if (is_servers_[i]) {
      for (const Part& part : parameters_of(step_, i)) roles_.at_server.push_back(part);
      return;
    }
    const auto* update = std::get_if<Update>(&node.operation);
    if (update != nullptr && roles_.is_central[index(update->variable)]) {
      check(step_.variables[index(update->variable)]);
      roles_.local_updates.push_back({index(update->variable), node.inputs[0]});
    } else {
      roles_.at_replicas.push_back({i});
    }
    const bool is_at_table = look_ups_ == LookUps::at_tables && is_look_up_at_table(step_, node);
    if (is_at_table) roles_.look_ups.push_back(i);
    for (const ValueId input : node.inputs)
      if (!is_at_table || input != node.inputs[1]) note_pull(input);
  }

  void check(const StepVariable& variable) const {
    if (variable.aggregation != Aggregation::none) return;
    throw InputError(
        fmt::format("[{}] replicas compute different new values of {}, which lives in one place", strategy_,
                    variable.name),
        "give it an aggregation: sum, mean or only_first_replica; a batch normalization has one with "
        "the semantics keras2, and none with keras3");
  }

  void note_pull(ValueId value) {
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      if (step_.variables[i].value == value && roles_.is_central[i]) roles_.is_pulled[i] = true;
  }

  // Values that the server reads, and neither has nor computes nor receives as a pushed gradient.
  void find_foreign_reads() {
    std::vector<bool> is_there(program_.values.size(), false);
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      if (roles_.is_central[i]) is_there[index(step_.variables[i].value)] = true;
    for (const std::size_t node : roles_.pushed) is_there[index(program_.nodes[node].outputs[0])] = true;
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      if (hands_on(program_.nodes[i]) && is_there[index(program_.nodes[i].inputs[0])])
        is_there[index(program_.nodes[i].outputs[0])] = true;
      if (!is_servers_[i]) continue;
      for (const ValueId output : program_.nodes[i].outputs) is_there[index(output)] = true;
      for (const ValueId input : program_.nodes[i].inputs) {
        if (is_there[index(input)]) continue;
        is_there[index(input)] = true;
        roles_.from_replica_0.push_back(input);
      }
    }
  }

  std::string_view strategy_;
  LookUps look_ups_;
  Steps steps_;
  const Step& step_;
  const Program& program_;
  CentralRoles roles_{};
  std::vector<bool> is_common_{};       // by value
  std::vector<std::int32_t> writer_{};  // by value; -1: given
  std::vector<bool> is_servers_{};      // by node
};

}  // namespace

bool CentralRoles::is_pushed(std::size_t node) const {
  return std::ranges::find(pushed, node) != pushed.end();
}

CentralRoles roles_with_servers(std::string_view strategy, Steps steps, LookUps look_ups) {
  return Finding(strategy, steps, look_ups).roles();
}

}  // namespace wt::strategy
