#include "plan/order.h"

#include <algorithm>
#include <random>

namespace wt::plan {

std::vector<NodeId> Frontier::last_accesses() const { return readers.empty() ? writers : readers; }

void insert(std::vector<NodeId>& after, std::span<const NodeId> others) {
  after.insert(after.end(), others.begin(), others.end());
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
}

void wait_for(Node& node, std::span<const NodeId> others) { insert(node.after, others); }

std::vector<Frontier> order_accesses(Plan& plan) {
  std::vector<Frontier> frontiers;
  order_accesses(plan, NodeId(0), frontiers);
  return frontiers;
}

void order_accesses(Plan& plan, NodeId first, std::vector<Frontier>& frontiers) {
  frontiers.resize(plan.buffers.size());
  for (std::size_t i = index(first); i < plan.nodes.size(); ++i) {
    Node& node = plan.nodes[i];
    const auto id = static_cast<NodeId>(i);
    std::vector<NodeId> after;
    const auto wait_for_all = [&](const std::vector<NodeId>& accesses) {
      after.insert(after.end(), accesses.begin(), accesses.end());
    };
    const std::vector<BufferId> read = reads(node.action);
    const std::vector<BufferId> written = writes(node.action);
    for (const BufferId buffer : read) wait_for_all(frontiers[index(buffer)].writers);
    for (const BufferId buffer : written) wait_for_all(frontiers[index(buffer)].last_accesses());
    wait_for(node, after);
    for (const BufferId buffer : read) {
      std::vector<NodeId>& readers = frontiers[index(buffer)].readers;
      if (readers.empty() || readers.back() != id) readers.push_back(id);
    }
    for (const BufferId buffer : written) frontiers[index(buffer)] = {{id}, {}};
  }
}

bool is_legal(const Plan& plan, std::span<const NodeId> order) {
  std::vector<bool> done(plan.nodes.size(), false);
  for (const NodeId id : order) {
    if (index(id) >= plan.nodes.size() || done[index(id)]) return false;
    const auto is_done = [&](NodeId other) { return done[index(other)]; };
    const Node& node = plan.node(id);
    if (!std::ranges::all_of(node.after, is_done) || !std::ranges::all_of(node.slot_after, is_done))
      return false;
    done[index(id)] = true;
  }
  return order.size() == plan.nodes.size();
}

std::vector<NodeId> canonical_order(const Plan& plan) {
  std::vector<NodeId> order;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) order.push_back(static_cast<NodeId>(i));
  return order;
}

std::vector<NodeId> random_legal_order(const Plan& plan, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> waiting;
  std::vector<std::vector<NodeId>> followers(plan.nodes.size());
  std::vector<NodeId> ready;
  for (const NodeId id : canonical_order(plan)) {
    std::vector<NodeId> after = plan.node(id).after;
    insert(after, plan.node(id).slot_after);
    waiting.push_back(after.size());
    if (waiting.back() == 0) ready.push_back(id);
    for (const NodeId other : after) followers[index(other)].push_back(id);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const NodeId next = ready.back();
    ready.pop_back();
    order.push_back(next);
    for (const NodeId follower : followers[index(next)])
      if (--waiting[index(follower)] == 0) ready.push_back(follower);
  }
  WT_EXPECT(order.size() == plan.nodes.size(), "{} of {} nodes wait for each other",
            plan.nodes.size() - order.size(), plan.nodes.size());
  return order;
}

}  // namespace wt::plan
