// Claims about algorithms that distinguish machines: NCCL's Tree, rings in given orders, and switches that
// work in loops. They count the vectors that pass between machines and within them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/error.h"
#include "collective/algorithms/rules.h"
#include "collective/deletion.h"
#include "collective/execute.h"
#include "collective/verify.h"
#include "schedules.h"

namespace wt::collective {
namespace {

constexpr std::int64_t elements = 720720;

Expanded expanded_of(std::string_view name, Request request) {
  request.elements = elements;
  return expand(make_schedule(algorithm_named(Operation::all_reduce, name), request));
}

double in_vectors(std::int64_t count) { return static_cast<double>(count) / elements; }

// The amount that each rank sends to other machines, in vectors. A machine has `size` ranks.
std::vector<double> sent_across(const Expanded& schedule, int size) {
  std::vector<double> sent(static_cast<std::size_t>(schedule.contract.ranks));
  for (const Step& step : schedule.steps)
    if (step.move.source / size != step.move.target / size)
      step.move.chunks.each([&](int chunk) {
        sent[static_cast<std::size_t>(step.move.source)] += in_vectors(schedule.contract.size(chunk));
      });
  return sent;
}

int log2_down(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
int log2_up(int n) { return n == 1 ? 0 : log2_down(n - 1) + 1; }

// ---- NCCL's Tree

// Chains that cross a machine in any order, one for each lane.
TEST(Tree, VerifiesForChainsInAnyOrder) {
  const std::vector<std::vector<int>> orders{{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11},
                                             {3, 1, 0, 2, 7, 5, 4, 6, 11, 9, 8, 10}};
  const Request request{.ranks = 12, .options = {.shape = {4, 3}, .segments = 2}, .orders = orders};
  const Expanded schedule = expanded_of("tree", request);
  EXPECT_EQ(print(verify(schedule)), "");
  for (const Step& step : schedule.steps)
    if (step.move.source / 4 != step.move.target / 4) {
      const int head = step.move.source % 4;
      EXPECT_TRUE(head == 0 || head == 3) << "only heads cross";
      EXPECT_EQ(head, step.move.target % 4);
    }
}

TEST(Tree, VerifiesForMachinesOfAllSizesAndAnyNumberOfLanes) {
  for (int size = 1; size <= 6; ++size)
    for (int machines = 1; machines <= 9; ++machines)
      for (const int lanes : {0, 1, size / 2, size}) {
        const Options options{.shape = {size, machines}, .segments = 2, .lanes = lanes};
        EXPECT_EQ(print(verify(expanded_of("tree", {.ranks = size * machines, .options = options}))), "")
            << size << "x" << machines << ", " << lanes << " lanes";
      }
}

TEST(Tree, NothingOfItCanBeLeftOutUnnoticed) {
  for (const std::vector<int>& shape : {std::vector{2, 2}, {2, 4}, {3, 3}, {4, 2}, {1, 7}}) {
    const Options options{.shape = shape, .segments = 2};
    const Deletions result =
        try_deletions(expanded_of("tree", {.ranks = shape[0] * shape[1], .options = options}));
    EXPECT_GT(result.tried, 0U);
    EXPECT_EQ(result.unnoticed, std::vector<std::string>{}) << shape[0] << "x" << shape[1];
  }
}

// Each tree has one move up and one move down for each rank but its root.
TEST(Tree, HasTwoMovesForEachRankButTheRootInEachTreeAndSegment) {
  for (const int size : {1, 2, 4, 8})
    for (const int machines : {1, 2, 3, 5, 8})
      for (const int lanes : {1, size}) {
        const int n = size * machines, trees = machines == 1 ? 1 : 2;
        const Expanded schedule = expanded_of(
            "tree", {.ranks = n, .options = {.shape = {size, machines}, .segments = 3, .lanes = lanes}});
        EXPECT_EQ(extent_of(schedule).moves, 2 * (n - 1) * trees * lanes * 3) << size << "x" << machines;
      }
}

TEST(Tree, IsAsDeepAsItsChainsAndTreesAre) {
  for (const int size : {1, 2, 4, 8})
    for (int machines = 1; machines <= 16; ++machines) {
      const Options options{.shape = {size, machines}, .segments = 1};
      const int depth = extent_of(expanded_of("tree", {.ranks = size * machines, .options = options})).depth;
      EXPECT_LE(depth, 2 * (size - 1 + log2_up(machines))) << size << "x" << machines;
      EXPECT_GE(depth, 2 * (size - 1 + log2_down(machines))) << size << "x" << machines;
    }
}

// On one machine every rank is the head of one chain, the last rank of another, and between two ranks in the
// others.
TEST(Tree, OnOneMachineSendsAsMuchAsARing) {
  for (const int n : {2, 3, 5, 8, 16}) {
    const Expanded schedule = expanded_of("tree", {.ranks = n});
    EXPECT_NEAR(in_vectors(extent_of(schedule).most_sent), 2.0 * (n - 1) / n, 1e-4) << n;
  }
}

// Between two machines each head is the root of one tree and the leaf of the other. So the vector passes once
// in each direction, which is less than the 2 (n - 1) / n of a ring.
TEST(Tree, BetweenTwoMachinesSendsTheVectorOnceEachWay) {
  for (const int size : {2, 4, 8}) {
    const Expanded schedule =
        expanded_of("tree", {.ranks = 2 * size, .options = {.shape = {size, 2}, .segments = 1}});
    for (const double sent : sent_across(schedule, size)) EXPECT_NEAR(sent, 1.0 / size, 1e-4) << size;
    EXPECT_NEAR(in_vectors(extent_of(schedule).most_sent), (2.0 * size - 1) / size, 1e-4) << size;
  }
}

// Among more machines, an inner machine of one tree sends three halves of the vector in it, and one half in
// the other tree.
TEST(Tree, AmongMoreMachinesSendsItTwiceAtMost) {
  for (const int machines : {3, 4, 5, 8, 13}) {
    const int size = 4;
    const Expanded schedule = expanded_of(
        "tree", {.ranks = size * machines, .options = {.shape = {size, machines}, .segments = 1}});
    const std::vector<double> sent = sent_across(schedule, size);
    const double most = *std::max_element(sent.begin(), sent.end());
    EXPECT_LE(most, 2.0 / size + 1e-4) << machines;
    EXPECT_GT(most, 1.0 / size + 1e-4) << machines;
    EXPECT_LE(in_vectors(extent_of(schedule).most_sent), 2 + 1e-4) << machines;
  }
}

TEST(Tree, LeavesAMachineByAsManyRanksAsItHasLanes) {
  const Expanded schedule =
      expanded_of("tree", {.ranks = 16, .options = {.shape = {8, 2}, .segments = 1, .lanes = 3}});
  std::vector<int> heads;
  const std::vector<double> sent = sent_across(schedule, 8);
  for (std::size_t rank = 0; rank < 8; ++rank)
    if (sent[rank] > 0) heads.push_back(static_cast<int>(rank));
  EXPECT_EQ(heads, (std::vector{0, 2, 5}));
}

TEST(Tree, OfMachinesOfOneRankIsTheDoubleBinaryTree) {
  for (const int n : {2, 5, 8}) {
    const auto moves = [&](std::string_view name, std::vector<int> shape) {
      const Schedule schedule =
          make_schedule(algorithm_named(Operation::all_reduce, name),
                        {.ranks = n, .elements = 64, .options = {.shape = std::move(shape)}});
      std::vector<std::vector<Move>> rounds;
      for (int round = 0; round < schedule.rule.rounds; ++round) rounds.push_back(moves_of(schedule, round));
      return rounds;
    };
    EXPECT_EQ(moves("tree", {1, n}), moves("double_binary_tree", {})) << n;
  }
}

// ---- The double binary tree

TEST(DoubleTree, HasFourMovesForEachRankButTheRootInEachSegment) {
  for (const int n : {2, 3, 7, 8, 16})
    for (const int segments : {1, 5})
      EXPECT_EQ(
          extent_of(expanded_of("double_binary_tree", {.ranks = n, .options = {.segments = segments}})).moves,
          4 * (n - 1) * segments);
}

// A rank sends each tree's half to its parent and to each child.
TEST(DoubleTree, SendsHalfAVectorForEachNeighbourInEachTree) {
  for (const int n : {2, 3, 6, 8, 13}) {
    std::vector<int> neighbours(static_cast<std::size_t>(n));
    for (const int tree : {0, 1}) {
      const std::vector<int> parents = double_tree_parents(n, tree);
      for (std::size_t rank = 0; rank < parents.size(); ++rank) {
        if (parents[rank] < 0) continue;
        ++neighbours[rank];
        ++neighbours[static_cast<std::size_t>(parents[rank])];
      }
    }
    const int most = *std::max_element(neighbours.begin(), neighbours.end());
    EXPECT_NEAR(in_vectors(extent_of(expanded_of("double_binary_tree", {.ranks = n})).most_sent), most / 2.0,
                1e-4)
        << n;
  }
}

// ---- Switches, in loops

TEST(Nvls, HasFourMovesForEachRankInEachLoopAndALoopMoreIsOneRoundMore) {
  for (const int n : {2, 5, 8})
    for (const int loops : {1, 2, 8}) {
      const Request request{.ranks = n, .elements = elements, .options = {.segments = loops}};
      const Schedule schedule = make_schedule(algorithm_named(Operation::all_reduce, "nvls"), request);
      const Extent extent = extent_of(expand(schedule));
      EXPECT_EQ(extent.moves, 4 * n * loops);
      EXPECT_EQ(schedule.rule.rounds, 4 + loops - 1);
      EXPECT_EQ(extent.depth, 4);  // of one loop; the next loop doesn't depend on it
      EXPECT_NEAR(in_vectors(extent.most_sent), 1 + 1.0 / n, 1e-4);
      EXPECT_NEAR(in_vectors(extent.most_received), 1 + 1.0 / n, 1e-4);
    }
}

TEST(Nvls, TakesOnePartOfTheVectorAfterTheOther) {
  const Request request{.ranks = 4, .elements = elements, .options = {.segments = 3}};
  const Schedule schedule = make_schedule(algorithm_named(Operation::all_reduce, "nvls"), request);
  for (int loop = 0; loop < 3; ++loop) {
    const std::vector<Move> moves = moves_of(schedule, loop);
    EXPECT_EQ(moves.back(), (Move{3, 4, Effect::reduce, {4 * loop, 4}}));
  }
}

TEST(Nvls, OfReduceScatterAndAllGatherSendsWhatTheirFormulasSay) {
  for (const int n : {2, 5, 8}) {
    const Request request{.ranks = n, .elements = elements, .options = {.segments = 4}};
    const Extent scatter =
        extent_of(expand(make_schedule(algorithm_named(Operation::reduce_scatter, "nvls"), request)));
    EXPECT_EQ(scatter.moves, 2 * n * 4);
    EXPECT_NEAR(in_vectors(scatter.most_sent), 1, 1e-4);
    EXPECT_NEAR(in_vectors(scatter.most_received), 1.0 / n, 1e-4);
    const Extent gather =
        extent_of(expand(make_schedule(algorithm_named(Operation::all_gather, "nvls"), request)));
    EXPECT_EQ(gather.moves, (n + n * (n - 1)) * 4);
    EXPECT_NEAR(in_vectors(gather.most_sent), 1.0 / n, 1e-4);
    EXPECT_NEAR(in_vectors(gather.most_received), (n - 1.0) / n, 1e-4);
  }
}

// The part of a rank crosses in two trees with half of it each. The depth of a loop is the sum of its stages.
TEST(NvlsTree, LoopsOverSwitchesAndTrees) {
  for (const int machines : {2, 4, 8}) {
    const int size = 4, n = size * machines, loops = 3;
    const Expanded schedule =
        expanded_of("nvls_tree", {.ranks = n, .options = {.shape = {size, machines}, .segments = loops}});
    const int tree = 4 * (machines - 1) * size;  // as in the double binary tree, for each head
    EXPECT_EQ(extent_of(schedule).moves, (n + n + tree + n + n * (size - 1)) * loops) << machines;
    EXPECT_EQ(extent_of(schedule).depth, 2 + 2 * log2_up(machines) + 2) << machines;
  }
}

// ---- Rings in given orders

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(std::string_view name, const Request& request) {
  return refusal([&] { make_schedule(algorithm_named(Operation::all_reduce, name), request); });
}

TEST(GivenOrders, AreTheRingsOfMultiRail) {
  const std::vector<std::vector<int>> orders{{0, 3, 1, 4, 2}, {2, 1, 0, 4, 3}, {0, 1, 2, 3, 4}};
  const Schedule schedule = in_orders(5, elements, orders);
  EXPECT_EQ(schedule.contract.cut.chunks, 3 * 5);
  EXPECT_EQ(print(verify(expand(schedule))), "");
  for (const Move& move : moves_of(schedule, 2)) {
    const std::vector<int>& order = orders[static_cast<std::size_t>(move.chunks.first() / 5)];
    const auto place = std::find(order.begin(), order.end(), move.source) - order.begin();
    EXPECT_EQ(move.target, order[static_cast<std::size_t>((place + 1) % 5)]);
  }
  EXPECT_NEAR(in_vectors(extent_of(expand(schedule)).most_sent), 2 * 4.0 / 5, 1e-4);
}

TEST(GivenOrders, AreRefusedIfTheyDoNotNameEachRankOnce) {
  const auto refused = [](const std::vector<std::vector<int>>& orders, std::string_view name = "multi_rail") {
    return refusal([&] { in_orders(3, 9, orders, name); });
  };
  const std::string remedy = "\nwrite the ranks from 0 to 2 in some order";
  EXPECT_EQ(refused({{0, 1, 2}, {2, 1}}),
            "the ring order 2 1 does not name each of the 3 ranks once" + remedy);
  EXPECT_EQ(refused({{0, 1, 1}}), "the ring order 0 1 1 does not name each of the 3 ranks once" + remedy);
  EXPECT_EQ(refused({{1, 2, 3}}), "the ring order 1 2 3 does not name each of the 3 ranks once" + remedy);
  EXPECT_EQ(refused({{0, 1, 2}}, "swing"), "swing takes no ring orders\nchoose multi_rail");
}

TEST(Tree, RefusesMoreLanesThanAMachineHasRanks) {
  EXPECT_EQ(refusal("tree", {.ranks = 8, .elements = 9, .options = {.shape = {4, 2}, .lanes = 5}}),
            "5 lanes are more than the 4 ranks of a machine\ngive lanes from 1 to 4");
}

TEST(Catalog, RefusesMoreChunksThanCanBeNumbered) {
  EXPECT_EQ(refusal("chain", {.ranks = 2, .elements = 9, .options = {.segments = 1'000'000'001}}),
            "1000000001 chunks among 2 ranks are more than 1000000000\ntake fewer ranks or larger pieces");
  EXPECT_EQ(
      refusal("tree", {.ranks = 8, .elements = 9, .options = {.shape = {8, 1}, .segments = 2'000'000'000}}),
      "2000000000 chunks are more than 1000000000\ntake fewer ranks or larger pieces");
}

}  // namespace
}  // namespace wt::collective
