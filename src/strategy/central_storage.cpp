#include "strategy/central_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/memory.h"
#include "strategy/central_roles.h"
#include "strategy/cross_replica.h"

namespace wt::strategy {

namespace {

using plan::BufferKind, plan::DeviceId, plan::NodeId, plan::Operand;

plan::Device parameter_device(std::span<const Place> places, const CentralStorageOptions& options) {
  if (options.parameter_device) return *options.parameter_device;
  if (places.size() == 1) return places[0].device;
  if (!places[0].host)
    throw InputError("[central_storage] several replicas keep their variables on a host, and there is none",
                     "give the places a host, or name a parameter device");
  return *places[0].host;
}

void check(std::span<const Place> places) {
  for (const Place& place : places)
    if (place.task != places[0].task)
      throw InputError(fmt::format("[central_storage] {} is in task {}, {} in task {}", places[0].device.name,
                                   places[0].task, place.device.name, place.task),
                       "take multi_worker_mirrored, or the devices of one machine");
}

// TensorFlow 1's parameter_server on one machine, measured on a DGX-1 (tf_cnn_benchmarks, 2017), comes out
// right within 1.1 % where each gradient is pushed, added and applied as soon as it is there, behind the
// backward pass; then the next step begins with reading all variables at once, in no order of layers, so that
// the first layer waits for the whole pull. Nothing overlapped: 11.6 %; pulled layer by layer: 2.7 %.
class CentralStorageLowering {
 public:
  CentralStorageLowering(Steps steps, std::span<const Place> places, const plan::Device& parameters)
      : steps_(steps),
        roles_(roles_in_central_storage(steps)),
        communication_{.strategy = "central_storage", .one_device = parameters},
        cross_replica_(draft_, replicas_, steps, communication_) {
    draft_.plan.name = steps[0]->name;
    const std::vector<Replica> replicas = add_devices(draft_, places, places.size());
    const Replica server{.device = draft_.device(parameters), .is_only_one = false};
    server_.emplace(*steps[0], server, draft_.plan, roles_.at_server);
    for (Replica replica : replicas) {
      replica.is_only_one = false;
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

  void add_variables() {
    for (std::size_t i = 0; i < step().variables.size(); ++i)
      if (roles_.is_central[i]) server_->add_variable(step().variables[i]);
    server_->save_new_values();
  }

  void begin_replicas() {
    pulls_.resize(replicas_.size());
    for (std::size_t i = 0; i < step().variables.size(); ++i)
      for (std::size_t r = 0; r < replicas_.size(); ++r) {
        const Variable& variable = steps_[r]->variables[i];
        if (!roles_.is_central[i])
          replicas_[r].add_variable(variable);
        else if (roles_.is_pulled[i])
          pull(variable, r);
      }
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      for (const NamedValue& input : steps_[r]->inputs) replicas_[r].add_input(input);
      replicas_[r].save_values();
      for (const LocalUpdate& update : roles_.local_updates) replicas_[r].keep(update.value);
    }
  }

  void pull(const Variable& variable, std::size_t r) {
    const Operand there = server_->operand(variable.value);
    replicas_[r].define(variable.value, there);
    if (replicas_[r].device() == server_->device()) return;
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
    if (std::holds_alternative<AllReduce>(operation)) {
      if (!roles_.is_pushed(part.node)) cross_replica_.all_reduce({.nodes = {part.node}});
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

  // All before anything is added: otherwise a gradient that arrives would wait for the memory of another one.
  void push() {
    for (const std::size_t node : roles_.pushed)
      slots_.push_back(brought(draft_, of_replicas(step().program.nodes[node].inputs[0]), server_->device(),
                               pushed(slots_.size())));
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
      const wt::Node& node = step().program.nodes[roles_.pushed[i]];
      const plan::Label label = pushed(i);
      const Operand sum = add_sum(draft_, slots_[i], server_->device(), label);
      if (std::get<AllReduce>(node.operation).reduction == Reduction::mean)
        add_scaling(draft_, sum, replicas_.size(), Scaling::divide, plan::Stream::compute, label);
      server_->define(node.outputs[0], sum);
      apply_what_is_ready(is_done);
    }
  }

  void apply_what_is_ready(std::vector<bool>& is_done) {
    for (std::size_t i = 0; i < is_done.size(); ++i) {
      if (is_done[i] || !server_->is_ready(roles_.at_server[i])) continue;
      server_->lower(roles_.at_server[i]);
      is_done[i] = true;
    }
  }

  void aggregate(const LocalUpdate& update) {
    const Variable& variable = step().variables[update.variable];
    const Operand target = server_->operand(variable.value);
    std::vector<Operand> values = of_replicas(update.value);
    if (variable.aggregation == Aggregation::only_first_replica) values.resize(1);
    const plan::Label label{variable.name, {plan::Purpose::aggregation, -1, plan::Role::everyone}};
    const std::vector<Operand> slots = brought(draft_, values, server_->device(), label);
    add_sum(draft_, slots, server_->device(), label, target);
    if (variable.aggregation == Aggregation::mean)
      add_scaling(draft_, target, replicas_.size(), Scaling::divide, plan::Stream::compute, label);
  }

  Steps steps_;
  CentralRoles roles_;
  Communication communication_;
  Draft draft_{};
  std::optional<ReplicaLowering> server_{};
  std::vector<ReplicaLowering> replicas_{};
  CrossReplica cross_replica_;
  std::vector<std::vector<NodeId>> pulls_{};   // by replica
  std::vector<std::vector<Operand>> slots_{};  // by pushed gradient
};

}  // namespace

plan::Plan lower_central_storage(Steps steps, std::span<const Place> places,
                                 const CentralStorageOptions& options) {
  check_replicas("central_storage", steps, places);
  check(places);
  return CentralStorageLowering(steps, places, parameter_device(places, options)).lower();
}

}  // namespace wt::strategy
