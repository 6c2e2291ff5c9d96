#include "plan/condense.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/id.h"
#include "base/overloaded.h"
#include "plan/order.h"

namespace wt::plan {

namespace {

using StreamId = std::pair<DeviceId, Stream>;

std::optional<StreamId> stream_of(const Node& node) {
  const std::optional<DeviceId> device = stream_device(node);
  return device ? std::optional(StreamId{*device, node.stream}) : std::nullopt;
}

Action bare(const Action& action) {
  return std::visit(
      overloaded{[](const Run& run) -> Action { return Run{run.device, run.kernel, {}, {}, {}, {}}; },
                 [](const Sum& sum) -> Action {
                   return Sum{sum.device, {}, {}};
                 },
                 [](const auto& other) -> Action { return other; }},
      action);
}

class Condenser {
 public:
  Condenser(const Plan& plan, const Costs& costs)
      : plan_(plan), costs_(costs), is_awaited_(plan.nodes.size()) {
    WT_EXPECT(costs.nodes.size() == plan.nodes.size(), "{} costs for {} nodes", costs.nodes.size(),
              plan.nodes.size());
    for (const Node& node : plan.nodes) needs_.push_back(needs_of(node));
    for (const std::vector<NodeId>& needs : needs_)
      for (const NodeId other : needs) is_awaited_[index(other)] = true;
  }

  Condensed condense() && {
    Plan& made = made_.timed.plan;
    made.name = plan_.name;
    made.devices = plan_.devices;
    made.buffers = plan_.buffers;
    made_.timed.costs.basis = costs_.basis;
    made_.stretches.resize(plan_.nodes.size());
    for (std::size_t id = 0; id < plan_.nodes.size(); ++id) add(id);
    return std::move(made_);
  }

 private:
  // The dependencies that matter for time: for each other stream the last one only, none in the node's own
  // stream, whose order holds anyway, and none for which an earlier node of the own stream has already
  // waited.
  std::vector<NodeId> needs_of(const Node& node) {
    const std::optional<StreamId> own = stream_of(node);
    std::map<StreamId, NodeId> last;
    std::vector<NodeId> needs;
    for (const NodeId other : node.after) {
      const std::optional<StreamId> stream = stream_of(plan_.node(other));
      if (stream == own && own) continue;
      if (stream)
        last[*stream] = other;  // `after` ascends
      else if (!own || known_[*own].insert(other).second)
        needs.push_back(other);
    }
    for (const auto& [stream, other] : last) {
      if (own) {
        const auto [before, is_new] = last_known_[*own].try_emplace(stream, other);
        if (!is_new && before->second >= other) continue;
        before->second = other;
      }
      needs.push_back(other);
    }
    std::ranges::sort(needs);
    return needs;
  }

  void add(std::size_t id) {
    const std::optional<StreamId> stream = stream_of(plan_.nodes[id]);
    if (!stream) return add_node(id);
    const auto open = open_.find(*stream);
    if (open == open_.end() || !needs_[id].empty()) {
      add_node(id);
      open_[*stream] = made_.stretches[id].node;
    } else {
      join(id, open->second);
    }
    if (is_awaited_[id]) open_.erase(*stream);
  }

  void add_node(std::size_t id) {
    const Node& original = plan_.nodes[id];
    Plan& made = made_.timed.plan;
    const NodeId node = made.add_node(bare(original.action), {original.scope, original.role});
    made.nodes.back().stream = original.stream;
    std::vector<NodeId> after;
    for (const NodeId other : needs_[id]) after.push_back(made_.stretches[index(other)].node);
    insert(made.nodes.back().after, after);
    if (original.behind) made.nodes.back().behind = made_.stretches[index(*original.behind)].node;
    made_.timed.costs.nodes.push_back(costs_.nodes[id]);
    made_.stretches[id] = {node, {}, costs_.nodes[id].seconds};
  }

  void join(std::size_t id, NodeId node) {
    Cost& cost = made_.timed.costs.nodes[index(node)];
    made_.stretches[id] = {node, cost.seconds, cost.seconds + costs_.nodes[id].seconds};
    cost.seconds += costs_.nodes[id].seconds;
    cost.bound += costs_.nodes[id].bound;
  }

  const Plan& plan_;
  const Costs& costs_;
  Condensed made_{};
  std::vector<std::vector<NodeId>> needs_{};  // by node
  std::vector<bool> is_awaited_;
  std::map<StreamId, std::set<NodeId>> known_{};                 // awaited nodes without a stream
  std::map<StreamId, std::map<StreamId, NodeId>> last_known_{};  // the last awaited node of each other stream
  std::map<StreamId, NodeId> open_{};                            // nodes to which others may still be joined
};

}  // namespace

Condensed condensed(const Plan& plan, const Costs& costs) { return Condenser(plan, costs).condense(); }

std::vector<DeviceId> devices_of(const Plan& plan, const Action& action) {
  return std::visit(
      overloaded{[](const Run& run) { return std::vector{run.device}; },
                 [](const Sum& sum) { return std::vector{sum.device}; },
                 [&](const Move& move) { return std::vector{plan.buffer(move.target.buffer).device}; },
                 [&](const Collective& collective) {
                   std::vector<DeviceId> devices;
                   for (const Operand& value : collective.values)
                     devices.push_back(plan.buffer(value.buffer).device);
                   std::sort(devices.begin(), devices.end());
                   devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
                   return devices;
                 }},
      action);
}

std::optional<DeviceId> stream_device(const Node& node) {
  if (node.stream == Stream::none) return std::nullopt;
  if (const auto* run = std::get_if<Run>(&node.action)) return run->device;
  if (const auto* sum = std::get_if<Sum>(&node.action)) return sum->device;
  return std::nullopt;
}

}  // namespace wt::plan
