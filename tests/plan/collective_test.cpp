// Claims: a schedule's nodes wait for what the schedule says and nothing else.

#include "plan/collective.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collective/catalog.h"

namespace wt::plan {
namespace {

Plan lowered(std::string_view algorithm, int ranks, std::int64_t elements, Messages messages) {
  const collective::Algorithm& row =
      collective::algorithm_named(collective::Operation::all_reduce, algorithm);
  const collective::Expanded schedule =
      collective::expand(collective::make_schedule(row, {.ranks = ranks, .elements = elements}));
  Plan plan{.name = std::string(algorithm)};
  std::vector<Member> members;
  const TensorSpec spec{Type::float32, {elements}};
  for (int rank = 0; rank < ranks; ++rank) {
    plan.devices.push_back({.name = fmt::format("gpu {}", rank)});
    const BufferId buffer =
        plan.add_buffer({fmt::format("g{}", rank), DeviceId(rank), spec.bytes(), BufferKind::gradient, {}});
    members.push_back({DeviceId(rank), Operand{buffer, spec}});
  }
  std::vector<Frontier> frontiers = order_accesses(plan);
  add_collective(plan, frontiers, schedule, members, "ring", messages);
  EXPECT_EQ(frontiers.size(), plan.buffers.size());
  return plan;
}

TEST(Collective, ARingOfTwoIsTwoSumsAndTwoCopies) {
  const std::string text = print(lowered("ring", 2, 6, Messages::together));
  EXPECT_EQ(text.substr(text.find("    0 move")),
            "    0 move g0 float32[3] from byte 12 -> 0 to 1 float32[3]  # ring\n"
            "    1 sum g1 float32[3] from byte 12, 0 to 1 float32[3] -> g1 float32[3] from byte 12 after 0  "
            "# ring\n"
            "    2 move g1 float32[3] -> 1 to 0 float32[3]  # ring\n"
            "    3 sum g0 float32[3], 1 to 0 float32[3] -> g0 float32[3] after 2  # ring\n"
            "    4 move g0 float32[3] -> g1 float32[3] after 3  # ring\n"
            "    5 move g1 float32[3] from byte 12 -> g0 float32[3] from byte 12 after 1  # ring\n");
}

TEST(Collective, SumsAreDoneAsSoonAsTheyAreReady) {
  for (const Node& node : lowered("two_shot", 3, 9, Messages::in_order).nodes)
    EXPECT_EQ(node.stream == Stream::none, std::holds_alternative<Sum>(node.action));
}

TEST(Collective, MessagesBetweenTheSameTwoKeepTheirOrder) {
  const std::string text = print(lowered("ring", 2, 6, Messages::in_order));
  EXPECT_NE(text.find("    4 move g0 float32[3] -> g1 float32[3] after 3 behind 0  # ring\n"),
            std::string::npos)
      << text;
}

TEST(Collective, AcknowledgedMessagesWaitForTheOneBeforeToArrive) {
  const std::string text = print(lowered("ring", 2, 6, Messages::acknowledged));
  EXPECT_NE(text.find("    4 move g0 float32[3] -> g1 float32[3] after 0 3  # ring\n"), std::string::npos)
      << text;
}

TEST(Collective, AMessageInPiecesIsOneMove) {
  const Plan plan = lowered("swing", 8, 8, Messages::together);
  const auto in_pieces = [](const Node& node) {
    const auto* move = std::get_if<Move>(&node.action);
    return move != nullptr && !move->more.empty();
  };
  const auto found = std::ranges::find_if(plan.nodes, in_pieces);
  ASSERT_NE(found, plan.nodes.end()) << print(plan);
  EXPECT_EQ(payload(std::get<Move>(found->action)), Bytes(4 * 4));
}

}  // namespace
}  // namespace wt::plan
