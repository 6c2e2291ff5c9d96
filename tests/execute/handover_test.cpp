// Claims: the events keep every dependency of a plan, and without any one of them some dependency is lost.
// Plans, orders and queues are random.

#include "execute/handover.h"

#include <gtest/gtest.h>

#include <random>

#include "plan/order.h"

namespace wt {
namespace {

struct Case {
  plan::Plan plan{};
  std::vector<plan::NodeId> order{};
  std::vector<std::size_t> queues{};
};

Case random_case(std::uint64_t seed, std::size_t nodes, std::size_t queues) {
  std::mt19937_64 random(seed);
  Case made;
  for (std::size_t id = 0; id < nodes; ++id) {
    made.plan.nodes.emplace_back();
    for (int edges = static_cast<int>(random() % 4); edges > 0 && id > 0; --edges) {
      const auto other = static_cast<plan::NodeId>(random() % id);
      plan::Node& node = made.plan.nodes.back();
      plan::insert(random() % 3 == 0 ? node.slot_after : node.after, {&other, 1});
    }
    made.queues.push_back(random() % queues);
  }
  made.order = plan::random_legal_order(made.plan, seed);
  return made;
}

using Awaits = std::vector<std::vector<plan::NodeId>>;

Awaits awaits_of(const Case& one) {
  Awaits awaits;
  for (const execute::Handover& handover : execute::handovers(one.plan, one.order, one.queues))
    awaits.push_back(handover.awaits);
  return awaits;
}

// The nodes that have finished when a node begins, found by a search backwards along queues and events,
// without vector clocks.
bool is_kept(const Case& one, const Awaits& awaits) {
  std::vector<std::vector<bool>> done(one.plan.nodes.size(), std::vector<bool>(one.plan.nodes.size(), false));
  std::vector<std::vector<plan::NodeId>> before = awaits;
  for (std::size_t i = 0; i < one.order.size(); ++i)
    for (std::size_t j = i; j-- > 0;)
      if (one.queues[index(one.order[i])] == one.queues[index(one.order[j])]) {
        before[index(one.order[i])].push_back(one.order[j]);
        break;
      }
  for (const plan::NodeId id : one.order) {
    std::vector<bool>& own = done[index(id)];
    for (const plan::NodeId other : before[index(id)]) {
      own[index(other)] = true;
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = own[i] || done[index(other)][i];
    }
    for (const auto* waited : {&one.plan.node(id).after, &one.plan.node(id).slot_after})
      for (const plan::NodeId other : *waited)
        if (!own[index(other)]) return false;
  }
  return true;
}

TEST(Handover, KeepsEveryOrderAndNotOneEventMore) {
  int events = 0, dependencies = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case one = random_case(seed, 40, 1 + seed % 5);
    Awaits awaits = awaits_of(one);
    ASSERT_TRUE(is_kept(one, awaits)) << seed;
    for (std::vector<plan::NodeId>& own : awaits)
      for (std::size_t i = 0; i < own.size(); ++i) {
        const plan::NodeId left_out = own[i];
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(is_kept(one, awaits)) << seed << ", event of node " << index(left_out);
        own.insert(own.begin() + static_cast<std::ptrdiff_t>(i), left_out);
        ++events;
      }
    for (const plan::Node& node : one.plan.nodes)
      dependencies += static_cast<int>(node.after.size() + node.slot_after.size());
  }
  EXPECT_GT(events, 500);
  EXPECT_LT(events, dependencies / 2);
}

TEST(Handover, RecordsWhatIsAwaitedAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Case one = random_case(seed, 60, 4);
    const std::vector<execute::Handover> made = execute::handovers(one.plan, one.order, one.queues);
    std::vector<bool> awaited(made.size(), false);
    for (const execute::Handover& handover : made)
      for (const plan::NodeId other : handover.awaits) awaited[index(other)] = true;
    for (std::size_t id = 0; id < made.size(); ++id) EXPECT_EQ(made[id].is_awaited, awaited[id]);
  }
}

TEST(Handover, OneQueueNeedsNone) {
  const Case one = random_case(3, 100, 1);
  for (const std::vector<plan::NodeId>& awaits : awaits_of(one)) EXPECT_TRUE(awaits.empty());
}

}  // namespace
}  // namespace wt
