// A timeline as a list of occurrences in the order of time.
#include "plan/occurrence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/id.h"
#include "plan/order.h"

namespace wt::plan {
namespace {

TEST(Occurrences, AreSortedByStartAndByIdAtTheSameTime) {
  const Timeline timeline{.nodes = {{Seconds(0), Seconds(2)},
                                    {Seconds(3), Seconds(4)},
                                    {Seconds(2), Seconds(5)},
                                    {Seconds(2), Seconds(3)}},
                          .end = Seconds(5)};
  const std::vector<Occurrence> expected{
      {.node = NodeId{0}, .start = Seconds(0), .end = Seconds(2)},
      {.node = NodeId{2}, .start = Seconds(2), .end = Seconds(5)},
      {.node = NodeId{3}, .start = Seconds(2), .end = Seconds(3)},
      {.node = NodeId{1}, .start = Seconds(3), .end = Seconds(4)},
  };
  EXPECT_EQ(occurrences(timeline), expected);
}

// Random copies between a few buffers. Each starts when its dependencies have ended, and some take no time.
TEST(Occurrences, ListTheNodesOfAPlanInALegalOrder) {
  std::size_t reordered = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    Plan plan{.name = "copies", .devices = {{"cpu:0", {}}}};
    const TensorSpec spec{Type::uint8, {256}};
    for (int i = 0; i < 8; ++i) plan.add_buffer({"b", DeviceId{0}, spec.bytes(), BufferKind::activation, {}});
    for (int i = 0; i < 40; ++i) {
      const std::size_t source = random() % 8, target = (source + 1 + random() % 7) % 8;
      plan.add_node(
          Move{{static_cast<BufferId>(source), spec, {}}, {static_cast<BufferId>(target), spec, {}}, {}}, "");
    }
    order_accesses(plan);
    Timeline timeline;
    for (const Node& node : plan.nodes) {
      Seconds start{};
      for (const NodeId other : node.after) start = std::max(start, timeline.nodes[index(other)].end);
      timeline.nodes.push_back({start, start + Seconds(static_cast<double>(random() % 4))});
    }
    std::vector<NodeId> order;
    for (const Occurrence& occurrence : occurrences(timeline)) order.push_back(occurrence.node);
    EXPECT_TRUE(is_legal(plan, order)) << "seed " << seed;
    if (order != canonical_order(plan)) ++reordered;
  }
  EXPECT_GT(reordered, 40U);
}

}  // namespace
}  // namespace wt::plan
