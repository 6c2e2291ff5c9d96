// The costs of the messages and sums of a call, by the machines between which they take place.
#include <algorithm>
#include <map>
#include <optional>

#include "base/id.h"
#include "communication/call.h"
#include "communication/constants.h"

namespace wt::communication {

namespace {

using Ends = std::pair<platform::Endpoint, platform::Endpoint>;

// The network card by which a message leaves its machine. Unset: it stays in it.
std::optional<platform::LinkId> card_of(const platform::Platform& platform, const Ends& ends) {
  if (platform.machine_of(ends.first) == platform.machine_of(ends.second)) return std::nullopt;
  for (const platform::LinkId link : platform.route(ends.first, ends.second).links)
    if (platform.link(link).kind == platform::LinkKind::nic) return link;
  return std::nullopt;
}

// By machine: all bytes that leave it, over those that leave by its busiest card.
std::map<int, double> spread_over_cards(const platform::Platform& platform,
                                        const std::map<Ends, double>& sent) {
  std::map<int, std::map<platform::LinkId, double>> by_card;
  for (const auto& [ends, bytes] : sent)
    if (const auto card = card_of(platform, ends)) by_card[platform.machine_of(ends.first)][*card] += bytes;
  std::map<int, double> spread;
  for (const auto& [machine, cards] : by_card) {
    double all = 0, most = 0;
    for (const auto& [card, bytes] : cards) all += bytes, most = std::max(most, bytes);
    spread[machine] = most > 0 ? all / most : 1;
  }
  return spread;
}

// The costs of messages. Routes are computed once for each pair of endpoints.
class Crossings {
 public:
  // `sent`: all bytes between each two endpoints. The software of gRPC, whose time stands in the wire, runs on the
  // host and passes on the bytes of all cards one after the other, so that on several cards each byte takes as much
  // longer.
  Crossings(const Call& call, const platform::Platform& platform, const std::map<Ends, double>& sent)
      : call_(call), platform_(platform) {
    if (call.basis == basis_of_grpc) spread_ = spread_over_cards(platform, sent);
  }

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
    const auto spread = spread_.find(platform_.machine_of(from));
    const double wire =
        is_between && spread != spread_.end() ? 1 + (crossing.wire - 1) * spread->second : crossing.wire;
    return {{.seconds = crossing.latency ? *crossing.latency - route.latency : Seconds{}, .wire = wire},
            crossing.per_byte};
  }

  const Call& call_;
  const platform::Platform& platform_;
  std::map<Ends, Known> known_{};
  std::map<int, double> spread_{};
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
  const auto at = [&](const plan::Operand& operand) {
    return where[index(plan.buffer(operand.buffer).device)];
  };
  std::map<Ends, double> sent;
  for (const std::size_t id : nodes)
    if (const auto* move = std::get_if<plan::Move>(&plan.nodes[id].action))
      sent[{at(move->source), at(move->target)}] += static_cast<double>(plan::payload(*move).count());
  Crossings crossings(call, platform, sent);
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
