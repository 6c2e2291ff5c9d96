#include "execute/handover.h"

#include <algorithm>

#include "plan/order.h"

namespace wt::execute {

namespace {

// A vector clock: for each queue, the number of nodes that have certainly finished at some moment.
using Done = std::vector<std::size_t>;

void learn(Done& known, const Done& other) {
  std::ranges::transform(known, other, known.begin(), [](auto a, auto b) { return std::max(a, b); });
}

// Goes through the nodes in their order and keeps a vector clock for each queue.
class Walk {
 public:
  Walk(const plan::Plan& plan, std::span<const plan::NodeId> order, std::span<const std::size_t> queues)
      : plan_(plan),
        queues_(queues),
        known_(count(), Done(count(), 0)),
        behind_(plan.nodes.size()),
        position_(plan.nodes.size()),
        made_(plan.nodes.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) position_[index(order[i])] = i;
    for (const plan::NodeId id : order) pass(id);
  }

  std::vector<Handover> made() && { return std::move(made_); }

 private:
  std::size_t count() const { return queues_.empty() ? 0 : std::ranges::max(queues_) + 1; }

  // The nodes of other queues on which a node depends, the latest one first, since waiting for that one may
  // imply the others.
  std::vector<plan::NodeId> awaited_elsewhere(plan::NodeId id) const {
    std::vector<plan::NodeId> others = plan_.node(id).after;
    plan::insert(others, plan_.node(id).slot_after);
    std::erase_if(others, [&](plan::NodeId other) { return queues_[index(other)] == queues_[index(id)]; });
    std::ranges::sort(others, std::ranges::greater{},
                      [&](plan::NodeId other) { return position_[index(other)]; });
    return others;
  }

  void pass(plan::NodeId id) {
    const std::size_t own = queues_[index(id)];
    Done& known = known_[own];
    for (const plan::NodeId other : awaited_elsewhere(id)) {
      const std::size_t far = queues_[index(other)];
      if (known[far] >= behind_[index(other)][far]) continue;
      made_[index(id)].awaits.push_back(other);
      made_[index(other)].is_awaited = true;
      learn(known, behind_[index(other)]);
    }
    ++known[own];
    behind_[index(id)] = known;
  }

  const plan::Plan& plan_;
  std::span<const std::size_t> queues_;
  std::vector<Done> known_;            // by queue: the clock before its next node
  std::vector<Done> behind_;           // by node: the clock when the node has finished
  std::vector<std::size_t> position_;  // by node: its position in the order
  std::vector<Handover> made_;
};

}  // namespace

std::vector<Handover> handovers(const plan::Plan& plan, std::span<const plan::NodeId> order,
                                std::span<const std::size_t> queues) {
  return Walk(plan, order, queues).made();
}

}  // namespace wt::execute
