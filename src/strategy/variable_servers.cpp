#include "strategy/variable_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/memory.h"
#include "strategy/central_roles.h"
#include "strategy/cross_replica.h"

namespace wt::strategy {

namespace {

using plan::BufferKind, plan::DeviceId, plan::NodeId, plan::Operand;

// The variable that a value is; none if it is computed.
std::optional<std::size_t> variable_of(const Step& step, ValueId value) {
  for (std::size_t i = 0; i < step.variables.size(); ++i)
    if (step.variables[i].value == value) return i;
  return std::nullopt;
}

// Which server computes each of its nodes, and where each value lives: updates are with their variable, and
// what leads to an update is where the update is.
class ServersOfNodes {
 public:
  ServersOfNodes(const Step& step, const std::vector<std::size_t>& server_of)
      : step_(step), server_of_(server_of), read_at_(step.program.values.size()) {
    made_.nodes.resize(step.program.nodes.size());
    made_.values.assign(step.program.values.size(), 0);
    for (std::size_t i = 0; i < step.variables.size(); ++i)
      made_.values[index(step.variables[i].value)] = server_of[i];
  }

  LogicalDevices of_all() && {
    for (std::size_t i = step_.program.nodes.size(); i-- > 0;) place(i);
    return std::move(made_);
  }

 private:
  void place(std::size_t i) {
    const wt::Node& node = step_.program.nodes[i];
    if (const std::optional<OptimizerLayout> layout = optimizer_layout(node)) return place(i, *layout);
    LogicalId server = 0;
    if (const auto* update = std::get_if<Update>(&node.operation))
      server = server_of_[index(update->variable)];
    else if (!node.outputs.empty())
      server = read_at_[index(node.outputs[0])].value_or(0);
    made_.nodes[i] = {server};
    for (const ValueId output : node.outputs) made_.values[index(output)] = server;
    for (const ValueId input : node.inputs) note_read(input, server);
  }

  void place(std::size_t i, const OptimizerLayout& layout) {
    const wt::Node& node = step_.program.nodes[i];
    const std::size_t count = layout.parameters(node.inputs.size());
    for (std::size_t parameter = 0; parameter < count; ++parameter) {
      const LogicalId server = made_.values[index(node.inputs[parameter])];
      made_.nodes[i].push_back(server);
      for (std::size_t kind = 0; kind <= layout.slots; ++kind)
        made_.values[index(node.outputs[kind * count + parameter])] = server;
      note_read(node.inputs[layout.gradients_at(count) + parameter], server);
      if (layout.has_squares) note_read(node.inputs[layout.squares_at(count) + parameter], server);
    }
    if (layout.has_count)
      made_.values[index(node.outputs[layout.count_at(count)])] =
          made_.values[index(node.inputs[layout.count_at(count)])];
  }

  void note_read(ValueId value, LogicalId server) {
    if (!read_at_[index(value)]) read_at_[index(value)] = server;
  }

  const Step& step_;
  const std::vector<std::size_t>& server_of_;
  LogicalDevices made_{};
  std::vector<std::optional<LogicalId>> read_at_;  // by value: where its last reader is
};

// TensorFlow 1's parameter_server on one machine, measured on a DGX-1 (tf_cnn_benchmarks, 2017), comes out
// right within 1.1 % where each gradient is pushed, added and applied as soon as it is there, behind the
// backward pass; then the next step begins with reading all variables at once, in no order of layers, so that
// the first layer waits for the whole pull. Nothing overlapped: 11.6 %; pulled layer by layer: 2.7 %.
class ServerLowering {
 public:
  ServerLowering(Steps steps, std::span<const Place> places, const VariableServers& servers)
      : steps_(steps),
        servers_(servers),
        roles_(roles_with_servers(servers.strategy, steps, servers.look_ups)),
        communication_{.strategy = servers.strategy,
                       .one_device = servers.adds_on_host ? places[0].host.value_or(places[0].device)
                                                          : servers.servers.front()},
        cross_replica_(draft_, replicas_, steps, communication_) {
    draft_.plan.name = steps[0]->name;
    const std::vector<Replica> replicas = add_devices(draft_, places, places.size());
    logical_ = ServersOfNodes(step(), servers.server_of).of_all();
    Replica server{
        .device = draft_.device(servers.servers.front()), .logical = &logical_, .is_only_one = false};
    for (const plan::Device& further : std::span(servers.servers).subspan(1))
      server.further.push_back(draft_.device(further));
    devices_ = server.further;
    devices_.insert(devices_.begin(), server.device);
    order_server_parts();
    server_.emplace(*steps[0], server, draft_.plan, roles_.at_server);
    find_look_ups();
    for (Replica replica : replicas) {
      replica.is_only_one = false;
      if (!roles_.look_ups.empty()) {
        replica.further = devices_;
        replica.logical = &look_ups_;
      }
      replicas_.emplace_back(*steps[replica.number], replica, draft_.plan, roles_.at_replicas);
    }
  }

  plan::Plan lower() && {
    add_variables();
    begin_replicas();
    for (const Part& part : roles_.at_replicas) lower(part);
    draft_.order();
    push();
    bring_from_replica_0();
    apply();
    server_->move_updates();
    for (const LocalUpdate& update : roles_.local_updates) aggregate(update);
    for (ReplicaLowering& replica : replicas_) {
      replica.move_updates();
      replica.add_results();
    }
    draft_.order();
    wait_for_pulls();
    plan::plan_memory(draft_.plan, draft_.frontiers);
    return std::move(draft_.plan);
  }

 private:
  const Step& step() const { return *steps_[0]; }

  // To a replica, servers are further logical devices, which look up rows for it.
  void find_look_ups() {
    look_ups_.nodes.assign(step().program.nodes.size(), {0});
    look_ups_.values.assign(step().program.values.size(), 0);
    for (const std::size_t i : roles_.look_ups) {
      const wt::Node& node = step().program.nodes[i];
      const LogicalId table = 1 + servers_.server_of[*variable_of(step(), node.inputs[1])];
      look_ups_.nodes[i] = {table};
      look_ups_.values[index(node.outputs[0])] = table;
    }
  }

  void add_variables() {
    for (std::size_t i = 0; i < step().variables.size(); ++i)
      if (roles_.is_central[i]) server_->add_variable(step().variables[i]);
    server_->save_new_values();
  }

  void begin_replicas() {
    pulls_.resize(replicas_.size());
    for (std::size_t i = 0; i < step().variables.size(); ++i)
      for (std::size_t r = 0; r < replicas_.size(); ++r) {
        const StepVariable& variable = steps_[r]->variables[i];
        if (!roles_.is_central[i])
          replicas_[r].add_variable(variable);
        else if (roles_.is_pulled[i])
          pull(variable, r);
        else  // look-ups read it where it is
          replicas_[r].define(variable.value, server_->operand(variable.value));
      }
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      for (const NamedValue& input : steps_[r]->inputs) replicas_[r].add_input(input);
      replicas_[r].save_values();
      for (const LocalUpdate& update : roles_.local_updates) replicas_[r].keep(update.value);
    }
  }

  void pull(const StepVariable& variable, std::size_t r) {
    const Operand there = server_->operand(variable.value);
    replicas_[r].define(variable.value, there);
    if (replicas_[r].device() == draft_.device_of(there)) return;
    const Operand here = draft_.buffer(port_name(variable.name + "/pulled", r), replicas_[r].device(),
                                       there.spec, BufferKind::activation);
    pulls_[r].push_back(
        draft_.plan.add_node(plan::Move{there, here, {}}, replicas_[r].label("pull", plan::Purpose::pull)));
    replicas_[r].define(variable.value, here);
  }

  void wait_for_pulls() {
    for (std::size_t r = 0; r < replicas_.size(); ++r)
      if (const auto first = replicas_[r].first_run())
        plan::wait_for(draft_.plan.nodes[index(*first)], pulls_[r]);
  }

  void lower(const Part& part) {
    const Operation& operation = step().program.nodes[part.node].operation;
    if (roles_.is_pushed(part.node)) return;
    if (std::holds_alternative<AllReduce>(operation)) {
      cross_replica_.all_reduce({.nodes = {part.node}});
    } else if (std::holds_alternative<Reduce>(operation)) {
      cross_replica_.reduce(part.node);
    } else if (std::holds_alternative<Broadcast>(operation)) {
      cross_replica_.broadcast(part.node);
    } else if (std::holds_alternative<Gather>(operation)) {
      cross_replica_.gather(part.node);
    } else if (std::holds_alternative<Permute>(operation)) {
      cross_replica_.permute(part.node);
    } else {
      for (ReplicaLowering& replica : replicas_) replica.lower(part);
    }
  }

  std::vector<Operand> of_replicas(ValueId value) const {
    std::vector<Operand> operands;
    for (const ReplicaLowering& replica : replicas_) operands.push_back(replica.operand(value));
    return operands;
  }

  static plan::Label pushed(std::size_t gradient) {
    return {fmt::format("push/{}", gradient),
            {plan::Purpose::push, static_cast<std::int32_t>(gradient), plan::Role::everyone}};
  }

  DeviceId server_of_gradient(std::size_t node) const {
    return devices_[logical_.of(step().program.nodes[node].outputs[0])];
  }

  // All before anything is added: otherwise a gradient that arrives would wait for the memory of another one.
  void push() {
    for (const std::size_t node : roles_.pushed) {
      const plan::Label label = pushed(slots_.size());
      const plan::NodeId first = draft_.next();
      std::vector<Operand> gradients = of_replicas(step().program.nodes[node].inputs[0]);
      const bool is_gather = std::holds_alternative<Gather>(step().program.nodes[node].operation);
      if (servers_.adds_on_host && gradients.size() > 1) {
        const DeviceId host = draft_.device(*communication_.one_device);
        gradients = {is_gather ? behind_each_other(gradients, host, label)
                               : add_sum(draft_, brought(draft_, gradients, host, label), host, label)};
      }
      slots_.push_back(brought(draft_, gradients, server_of_gradient(node), label));
      const double share = step().program.values[index(step().program.nodes[node].outputs[0])].share;
      for (std::size_t i = index(first); i < draft_.plan.nodes.size(); ++i)
        draft_.plan.nodes[i].share = share;
    }
  }

  // The rows of all operands in one buffer.
  Operand behind_each_other(std::span<const Operand> operands, DeviceId device, const plan::Label& label) {
    TensorSpec spec = operands.front().spec;
    for (const Operand& other : operands.subspan(1)) spec.shape[0] += other.spec.shape[0];
    const Operand all = draft_.buffer(label.scope, device, spec, BufferKind::communication);
    std::int64_t first = 0;
    for (const Operand& operand : operands) {
      draft_.plan.add_node(plan::Move{flat(operand), part_of(all, first, operand.spec.elements()), {}},
                           label);
      first += operand.spec.elements();
    }
    return all;
  }

  // Other values that updates read, such as a learning rate that is fed.
  void bring_from_replica_0() {
    for (const ValueId value : roles_.from_replica_0) {
      const std::vector<Operand> source{replicas_[0].operand(value)};
      server_->define(value,
                      brought(draft_, source, server_->device(), {"update", {plan::Purpose::update}})[0]);
    }
  }

  // In the order in which gradients become ready.
  void apply() {
    std::vector<bool> is_done(roles_.at_server.size(), false);
    apply_what_is_ready(is_done);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      add_up(i);
      if (devices_.size() == 1) apply_what_is_ready(is_done);
    }
    // Several servers work at the same time whatever the order is. The last one counts the optimizer's steps,
    // which its kernel does in place: so no update that another worker makes meanwhile is lost.
    if (devices_.size() > 1) apply_what_is_ready(is_done);
  }

  void add_up(std::size_t gradient) {
    const wt::Node& node = step().program.nodes[roles_.pushed[gradient]];
    const plan::Label label = pushed(gradient);
    const std::vector<Operand>& slots = slots_[gradient];
    Operand sum = slots.front();
    if (std::holds_alternative<Gather>(node.operation)) {
      server_->define(node.outputs[0],
                      slots.size() > 1 ? behind_each_other(slots, draft_.device_of(sum), label) : sum);
      return;
    }
    const bool is_replicas_own = sum.buffer == of_replicas(node.inputs[0]).front().buffer;
    if (slots.size() > 1 || is_replicas_own || !servers_.adds_on_host)
      sum = add_sum(draft_, slots, draft_.device_of(sum), label);
    if (std::get<AllReduce>(node.operation).reduction == Reduction::mean)
      add_scaling(draft_, sum, replicas_.size(), Scaling::divide, plan::Stream::compute, label);
    server_->define(node.outputs[0], sum);
  }

  void apply_what_is_ready(std::vector<bool>& is_done) {
    for (const std::size_t i : server_parts_) {
      if (is_done[i] || !server_->is_ready(roles_.at_server[i])) continue;
      server_->lower(roles_.at_server[i]);
      is_done[i] = true;
    }
  }

  // Those of the server that counts the steps of the optimizer are last, within a node of the program.
  void order_server_parts() {
    for (std::size_t i = 0; i < roles_.at_server.size(); ++i) server_parts_.push_back(i);
    const auto counts_steps = [&](const Part& part) {
      const wt::Node& node = step().program.nodes[part.node];
      const std::optional<OptimizerLayout> layout = optimizer_layout(node);
      if (!layout || !layout->has_count || part.parameters.empty()) return false;
      const ValueId count = node.inputs[layout->count_at(layout->parameters(node.inputs.size()))];
      return logical_.of(part.node, part.parameters.front()) == logical_.of(count);
    };
    std::ranges::stable_sort(server_parts_, {}, [&](std::size_t i) {
      const Part& part = roles_.at_server[i];
      return std::pair(part.node, counts_steps(part));
    });
  }

  void aggregate(const LocalUpdate& update) {
    const StepVariable& variable = step().variables[update.variable];
    const Operand target = server_->operand(variable.value);
    std::vector<Operand> values = of_replicas(update.value);
    if (variable.aggregation == Aggregation::only_first_replica) values.resize(1);
    const plan::Label label{variable.name, {plan::Purpose::aggregation, -1, plan::Role::everyone}};
    const DeviceId server = draft_.device_of(target);
    add_sum(draft_, brought(draft_, values, server, label), server, label, target);
    if (variable.aggregation == Aggregation::mean)
      add_scaling(draft_, target, replicas_.size(), Scaling::divide, plan::Stream::compute, label);
  }

  Steps steps_;
  const VariableServers& servers_;
  CentralRoles roles_;
  LogicalDevices logical_{};                 // the servers, as the logical devices of one replica
  LogicalDevices look_ups_{};                // of a replica, with the servers that look up rows for it
  std::vector<DeviceId> devices_{};          // by server
  std::vector<std::size_t> server_parts_{};  // of roles_.at_server, in the order in which they are lowered
  Communication communication_;
  Draft draft_{};
  std::optional<ReplicaLowering> server_{};
  std::vector<ReplicaLowering> replicas_{};
  CrossReplica cross_replica_;
  std::vector<std::vector<NodeId>> pulls_{};   // by replica
  std::vector<std::vector<Operand>> slots_{};  // by pushed gradient
};

}  // namespace

plan::Plan lower_with_servers(Steps steps, std::span<const Place> places, const VariableServers& servers) {
  return ServerLowering(steps, places, servers).lower();
}

std::vector<std::size_t> in_turn(const Step& step, std::size_t servers) {
  std::vector<std::size_t> server_of(step.variables.size());
  std::map<std::string_view, std::size_t> by_name;
  std::size_t next = 0;
  for (std::size_t i = 0; i < step.variables.size(); ++i) {
    const StepVariable& variable = step.variables[i];
    if (!is_on_write(variable)) continue;
    server_of[i] = variable.slot_of.empty() ? next++ % servers : by_name.at(variable.slot_of);
    by_name.emplace(variable.name, server_of[i]);
  }
  return server_of;
}

}  // namespace wt::strategy
