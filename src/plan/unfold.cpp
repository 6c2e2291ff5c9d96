#include "plan/unfold.h"

#include "base/id.h"
#include "plan/order.h"

namespace wt::plan {

namespace {

class Unfolder {
 public:
  Unfolder(const Timed& one, std::span<const std::vector<Device>> tasks)
      : one_(one), tasks_(tasks), made_of_(tasks.size()) {
    Plan& plan = made_.timed.plan;
    plan.name = one.plan.name;
    made_.timed.costs.basis = one.costs.basis;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      WT_EXPECT(tasks[task].size() == one.plan.devices.size(), "a task of {} devices in a class of {}",
                tasks[task].size(), one.plan.devices.size());
      plan.devices.insert(plan.devices.end(), tasks[task].begin(), tasks[task].end());
      for (Buffer buffer : one.plan.buffers) {
        buffer.device = of(buffer.device, task);
        plan.add_buffer(std::move(buffer));
      }
    }
  }

  Unfolded unfold() && {
    for (std::size_t id = 0; id < one_.plan.nodes.size(); ++id)
      if (std::holds_alternative<Collective>(one_.plan.nodes[id].action))
        add_collective(id);
      else
        for (std::size_t task = 0; task < tasks_.size(); ++task) add(id, task);
    made_.first = made_of_.front();
    return std::move(made_);
  }

 private:
  DeviceId of(DeviceId device, std::size_t task) const {
    return static_cast<DeviceId>(index(device) + task * one_.plan.devices.size());
  }
  Operand of(Operand operand, std::size_t task) const {
    operand.buffer = static_cast<BufferId>(index(operand.buffer) + task * one_.plan.buffers.size());
    return operand;
  }

  Action of(const Action& action, std::size_t task) const {
    Action made = action;
    if (auto* run = std::get_if<Run>(&made)) run->device = of(run->device, task);
    if (auto* sum = std::get_if<Sum>(&made)) sum->device = of(sum->device, task);
    if (auto* move = std::get_if<Move>(&made)) {
      for (Move& piece : move->more) piece = {of(piece.source, task), of(piece.target, task), {}};
      move->source = of(move->source, task);
      move->target = of(move->target, task);
    }
    return made;
  }

  NodeId add_node(std::size_t id, Action action) {
    const Node& original = one_.plan.nodes[id];
    const NodeId node = made_.timed.plan.add_node(std::move(action), {original.scope, original.role});
    made_.timed.plan.nodes.back().stream = original.stream;
    made_.timed.costs.nodes.push_back(one_.costs.nodes[id]);
    return node;
  }

  void wait_as(std::size_t id, std::size_t task) {
    Node& node = made_.timed.plan.nodes.back();
    std::vector<NodeId> after;
    for (const NodeId other : one_.plan.nodes[id].after) after.push_back(made_of_[task][index(other)]);
    wait_for(node, after);
  }

  void add(std::size_t id, std::size_t task) {
    made_of_[task].push_back(add_node(id, of(one_.plan.nodes[id].action, task)));
    wait_as(id, task);
    if (const auto& behind = one_.plan.nodes[id].behind)
      made_.timed.plan.nodes.back().behind = made_of_[task][index(*behind)];
  }

  void add_collective(std::size_t id) {
    Collective all = std::get<Collective>(one_.plan.nodes[id].action);
    const std::vector<Operand> own = std::move(all.values);
    all.values.clear();
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      for (const Operand& value : own) all.values.push_back(of(value, task));
    const NodeId node = add_node(id, std::move(all));
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      made_of_[task].push_back(node);
      wait_as(id, task);
    }
  }

  const Timed& one_;
  std::span<const std::vector<Device>> tasks_;
  Unfolded made_{};
  std::vector<std::vector<NodeId>> made_of_;  // by task and node of the original plan, the new node
};

}  // namespace

Unfolded unfolded(const Timed& one, std::span<const std::vector<Device>> tasks) {
  return Unfolder(one, tasks).unfold();
}

}  // namespace wt::plan
