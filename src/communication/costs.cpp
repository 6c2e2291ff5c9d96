// The costs of the messages and sums of a call, by the machines between which they take place.
#include <algorithm>
#include <map>

#include "base/id.h"
#include "communication/call.h"

namespace wt::communication {

namespace {

// The costs of messages. Routes are computed once for each pair of endpoints.
class Crossings {
 public:
  Crossings(const Call& call, const platform::Platform& platform) : call_(call), platform_(platform) {}

  plan::Cost cost(platform::Endpoint from, platform::Endpoint to, Bytes bytes) {
    const auto [place, is_new] = known_.try_emplace({from, to});
    if (is_new && from != to) place->second = costs_between(from, to);
    plan::Cost cost = place->second.fixed;
    cost.seconds += place->second.per_byte * static_cast<double>(bytes.count());
    return cost;
  }

 private:
  struct Known {
    plan::Cost fixed{};
    Seconds per_byte{};
  };

  Known costs_between(platform::Endpoint from, platform::Endpoint to) const {
    const platform::Route route = platform_.route(from, to);
    const bool is_between = std::ranges::any_of(route.links, [this](platform::LinkId link) {
      const platform::LinkKind kind = platform_.link(link).kind;
      return kind == platform::LinkKind::nic || kind == platform::LinkKind::network;
    });
    const Crossing& crossing = is_between ? call_.between : call_.inside;
    return {
        {.seconds = crossing.latency ? *crossing.latency - route.latency : Seconds{}, .wire = crossing.wire},
        crossing.per_byte};
  }

  const Call& call_;
  const platform::Platform& platform_;
  std::map<std::pair<platform::Endpoint, platform::Endpoint>, Known> known_{};
};

// The time to read all summands and to write their sum at the rate of the memory. Switches add what passes
// through them without further time.
Seconds adding(const plan::Sum& sum, const platform::Platform& platform, platform::Endpoint where) {
  if (platform.is_switch(where)) return {};
  return sum.output.spec.bytes() / platform.type(where).memory_bandwidth *
         static_cast<double>(sum.slots.size() + 1);
}

}  // namespace

void add_costs(plan::Costs& costs, const plan::Plan& plan, std::size_t first, const Call& call,
               const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  std::vector<std::size_t> nodes;
  for (std::size_t id = first; id < plan.nodes.size(); ++id) nodes.push_back(id);
  add_costs(costs, plan, nodes, call, platform, where);
}

void add_costs(plan::Costs& costs, const plan::Plan& plan, std::span<const std::size_t> nodes,
               const Call& call, const platform::Platform& platform,
               std::span<const platform::Endpoint> where) {
  costs.nodes.resize(plan.nodes.size());
  Crossings crossings(call, platform);
  const auto at = [&](const plan::Operand& operand) {
    return where[index(plan.buffer(operand.buffer).device)];
  };
  for (const std::size_t id : nodes) {
    const plan::Node& node = plan.nodes[id];
    if (const auto* move = std::get_if<plan::Move>(&node.action)) {
      costs.nodes[id] = crossings.cost(at(move->source), at(move->target), plan::payload(*move));
    } else if (const auto* sum = std::get_if<plan::Sum>(&node.action)) {
      costs.nodes[id] = {};
      if (!call.adds_in_passing) costs.nodes[id].seconds = adding(*sum, platform, where[index(sum->device)]);
    }
    const bool is_first = std::ranges::none_of(
        node.after, [&](plan::NodeId other) { return std::ranges::binary_search(nodes, index(other)); });
    if (is_first) costs.nodes[id].seconds += call.floor;
  }
}

}  // namespace wt::communication
