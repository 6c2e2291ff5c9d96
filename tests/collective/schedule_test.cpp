// Claims about the parts of schedules, about the steps and bytes that algorithms take, and about options.
#include "collective/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"
#include "schedules.h"

namespace wt::collective {
namespace {

std::vector<std::int64_t> sizes(const Cut& cut) {
  std::vector<std::int64_t> all;
  for (int chunk = 0; chunk < cut.chunks; ++chunk) all.push_back(cut.size(chunk));
  return all;
}

using Sizes = std::vector<std::int64_t>;

TEST(Cut, IsAsEvenAsCanBeWithTheLargerChunksFirst) {
  EXPECT_EQ(sizes({.elements = 10, .chunks = 4}), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sizes({.elements = 2, .chunks = 4}), (Sizes{1, 1, 0, 0}));
}

TEST(Cut, GivesTheLastChunkTheRest) {
  EXPECT_EQ(sizes({.elements = 10, .chunks = 4, .per_chunk = 3}), (Sizes{3, 3, 3, 1}));
  EXPECT_EQ(sizes({.elements = 10, .chunks = 4, .per_chunk = 8}), (Sizes{8, 2, 0, 0}));
}

TEST(Cut, CutsRowsAlike) { EXPECT_EQ(sizes({.elements = 10, .chunks = 4, .rows = 2}), (Sizes{3, 2, 3, 2})); }

TEST(Chunks, GoAroundTheEndInAscendingOrder) {
  EXPECT_EQ(print(Chunks::around(2, 2, 5)), "2-3");
  EXPECT_EQ(print(Chunks::around(3, 2, 5)), "3-4");
  EXPECT_EQ(print(Chunks::around(4, 3, 5)), "0-1,4");
  EXPECT_EQ(print(Chunks::around(-1, 1, 5)), "4");
  EXPECT_EQ(print(Chunks::around(3, 5, 5)), "0-4");
  EXPECT_EQ(print(Chunks::of({7, 2, 3})), "2-3,7");
}

TEST(Expand, ReadsOfARoundComeBeforeItsWrites) {
  const Schedule exchange = by_hand({.operation = Operation::all_reduce, .ranks = 2, .cut = {.elements = 4}},
                                    {{{0, 1, Effect::reduce, 0}, {1, 0, Effect::reduce, 0}}});
  const Expanded schedule = expand(exchange);
  EXPECT_TRUE(schedule.steps[0].start.empty());
  EXPECT_EQ(schedule.steps[0].apply, (std::vector<Dependency>{{1, Until::sent}}));
  EXPECT_EQ(schedule.steps[1].apply, (std::vector<Dependency>{{0, Until::sent}}));
}

TEST(Expand, ARingNeedsOneDependencyForEachMoveButTheFirst) {
  for (const int n : {2, 5, 16}) {
    const Expanded schedule = expanded("ring", n);
    std::size_t dependencies = 0;
    for (const Step& step : schedule.steps) dependencies += step.start.size() + step.apply.size();
    EXPECT_EQ(schedule.steps.size(), static_cast<std::size_t>(2 * n * (n - 1)));
    EXPECT_EQ(dependencies, schedule.steps.size() - static_cast<std::size_t>(n));
  }
}

// ---- Steps and bytes of the standard results: Thakur, Rabenseifner and Gropp, 2005; Chan and others, 2007.

int log2_up(int n) { return static_cast<int>(std::ceil(std::log2(n))); }

struct Wanted {
  std::string_view name{};
  int rounds = 0;
  double most_sent = 0;  // in vectors
};

void check(int n, const std::vector<Wanted>& all, const Options& options = {}) {
  for (const Wanted& wanted : all) {
    const Schedule schedule = make_schedule(algorithm_named(Operation::all_reduce, wanted.name),
                                            {.ranks = n, .elements = 720720, .options = options});
    const Extent extent = extent_of(expand(schedule));
    EXPECT_EQ(schedule.rule.rounds, wanted.rounds) << wanted.name << " of " << n;
    EXPECT_LE(extent.depth, wanted.rounds) << wanted.name << " of " << n;
    EXPECT_NEAR(static_cast<double>(extent.most_sent) / 720720, wanted.most_sent, 1e-4)
        << wanted.name << " of " << n;
  }
}

TEST(Extent, OfAlgorithmsForAnyNumberOfRanksIsTheirFormula) {
  for (const int n : {2, 3, 5, 8, 11, 16}) {
    const double share = 2.0 * (n - 1) / n;
    check(n, {{"ring", 2 * (n - 1), share},
              {"bidirectional_ring", 2 * (n - 1), share},
              {"bruck", 2 * log2_up(n), share},
              {"two_shot", 2, share},
              {"one_shot", 2, n - 1.0},  // the second one within each rank
              {"reduce_to_one", 2, n - 1.0},
              {"binomial_tree", 2 * log2_up(n), 1.0 * log2_up(n)},
              {"parameter_server", 2, 1}});
    check(n, {{"chain", 2 * (n - 1) + 3, n == 2 ? 1.0 : 2.0}}, {.segments = 4});
  }
}

TEST(Extent, OfAlgorithmsForPowersOfTwoIsTheirFormula) {
  for (const int n : {2, 4, 8, 16}) {
    const double share = 2.0 * (n - 1) / n;
    const int log = log2_up(n);
    check(n, {{"recursive_doubling", log, 1.0 * log},
              {"halving_doubling", 2 * log, share},
              {"swing", 2 * log, share}});
  }
}

// Ranks beyond the largest power of two first send their vector to another rank, and get the result at the
// end.
TEST(Extent, OfOtherCountsHasTwoMoreSteps) {
  for (const int n : {3, 5, 6, 7, 12}) {
    const int power = power_of_two_in(n), log = log2_up(power);
    check(n, {{"recursive_doubling", log + 2, log + 1.0},
              {"halving_doubling", 2 * log + 2, 2.0 * (power - 1) / power + 1}});
  }
}

TEST(Extent, OfPowersOfTwoIsAsDeepAsItHasRounds) {
  for (const char* algorithm :
       {"ring", "bruck", "binomial_tree", "recursive_doubling", "halving_doubling", "swing"}) {
    const Schedule schedule =
        make_schedule(algorithm_named(Operation::all_reduce, algorithm), {.ranks = 16, .elements = 64});
    EXPECT_EQ(extent_of(expand(schedule)).depth, schedule.rule.rounds) << algorithm;
  }
}

TEST(Extent, OfADoubleTreeIsTwiceItsDepthAndAtMostTwoVectors) {
  for (const int n : {2, 3, 4, 7, 8, 16, 24}) {
    const Extent extent = extent_of(expanded("double_binary_tree", n, {.segments = 4}));
    EXPECT_LE(extent.depth, 2 * log2_up(n)) << n;
    EXPECT_GE(extent.depth, 2 * static_cast<int>(std::floor(std::log2(n)))) << n;
    EXPECT_LE(extent.most_sent, 2 << 16) << n;
  }
}

TEST(Extent, OfGridsIsTheSumOverTheirAxes) {
  const double all = 2.0 * 23 / 24;
  check(24, {{"torus_3d", 2 * (1 + 2 + 3), all}, {"torus_3d_bucket", 2 * (1 + 2 + 3), all}},
        {.shape = {2, 3, 4}});
  check(24,
        {{"hierarchical", 2 * (7 + 2), all},
         {"torus_2d_bucket", 2 * (7 + 2), all},
         {"blueconnect", 2 * (7 + 2), all}},
        {.shape = {8, 3}});
}

TEST(DoubleTree, NoRankHasTwoChildrenInBothTrees) {
  for (int n = 2; n <= 130; ++n) {
    std::vector<int> inner(static_cast<std::size_t>(n));
    for (const int tree : {0, 1}) {
      std::vector<int> children(static_cast<std::size_t>(n));
      for (const int parent : double_tree_parents(n, tree))
        if (parent >= 0) ++children[static_cast<std::size_t>(parent)];
      for (std::size_t r = 0; r < children.size(); ++r) inner[r] += children[r] > 1;
    }
    for (const int count : inner) EXPECT_LE(count, 1) << n;
  }
}

// ---- TensorFlow's ring

TEST(TensorflowRing, F6_ChunksAreWhole64BytesAndOneMoreWhereTheyWereWhole) {
  const auto cut = [](int ranks, std::int64_t elements) {
    return sizes(tensorflow_ring({.ranks = ranks, .elements = elements}).contract.cut);
  };
  EXPECT_EQ(cut(4, 10), (Sizes{10, 0, 0, 0}));
  EXPECT_EQ(cut(4, 64), (Sizes{32, 32, 0, 0}));
  EXPECT_EQ(cut(4, 1000), (Sizes{256, 256, 256, 232}));
  EXPECT_EQ(cut(4, 1024), (Sizes{272, 272, 272, 208}));
  EXPECT_EQ(cut(8, 1 << 20), (Sizes{131088, 131088, 131088, 131088, 131088, 131088, 131088, 130960}));
}

// The way of the first chunk of each subdivision shows its order of devices.
TEST(TensorflowRing, SubdivisionsGoThroughTheDevicesInOrdersOfTheirOwn) {
  const auto first_targets = [](int ranks, std::int64_t mebibytes, std::vector<int> shape) {
    const Schedule schedule = tensorflow_ring(
        {.ranks = ranks, .elements = mebibytes << 18, .options = {.shape = std::move(shape)}});
    const int subdivisions = schedule.contract.cut.chunks / ranks;
    std::vector<std::vector<int>> orders(static_cast<std::size_t>(subdivisions));
    for (int round = 0; round < ranks - 1; ++round)
      for (const Move& move : moves_of(schedule, round))
        if (move.chunks.first() < subdivisions)
          orders[static_cast<std::size_t>(move.chunks.first())].push_back(move.source);
    return orders;
  };
  using Orders = std::vector<std::vector<int>>;
  EXPECT_EQ(first_targets(4, 1, {}), (Orders{{0, 1, 2}}));
  EXPECT_EQ(first_targets(4, 64, {}), (Orders{{0, 1, 2}, {2, 1, 0}, {2, 3, 0}, {0, 3, 2}}));
  EXPECT_EQ(first_targets(8, 100, {}).size(), 4U);   // offsets 0, -2, 4 and -6
  EXPECT_EQ(first_targets(8, 512, {}).size(), 16U);  // at most two for each device
  EXPECT_EQ(first_targets(4, 64, {2, 2}), (Orders{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}}));
}

TEST(TensorflowRing, AChunkIsAddedInTheOrderOfTheRingFromItsOwnNumberOn) {
  const Schedule schedule = tensorflow_ring({.ranks = 4, .elements = 1024});
  std::vector<int> way;
  for (int round = 0; round < 3; ++round)
    for (const Move& move : moves_of(schedule, round))
      if (move.chunks == Chunks(2)) way.push_back(move.source);
  EXPECT_EQ(way, (std::vector{2, 3, 0}));
}

// ---- TensorFlow's broadcast

TEST(TensorflowBroadcast, CountsASourceThatIsNotTheFirstAsIfItStoodBeforeAllOthers) {
  const auto edges = [](int ranks, int root, std::vector<int> shape) {
    std::string text;
    const Schedule schedule = tensorflow_broadcast(
        {.ranks = ranks, .elements = 8, .root = root, .options = {.shape = std::move(shape)}});
    for (int round = 0; round < schedule.rule.rounds; ++round)
      for (const Move& move : moves_of(schedule, round))
        text += std::to_string(move.source) + ">" + std::to_string(move.target) + " ";
    return text;
  };
  EXPECT_EQ(edges(7, 0, {}), "0>1 0>2 1>3 1>4 2>5 2>6 ");
  EXPECT_EQ(edges(6, 3, {}), "3>0 3>1 0>2 1>4 1>5 ");
  EXPECT_EQ(edges(8, 5, {4, 2}), "5>0 0>1 0>2 5>4 1>3 4>6 4>7 ");
}

// ---- Options

TEST(Options, AreReadFromText) {
  Options options;
  set_option(options, "shape", "8x4x2");
  set_option(options, "lines", "xz");
  set_option(options, "cores", "2");
  set_option(options, "segments", "16");
  set_option(options, "lanes", "4");
  set_option(options, "subdivisions", "-1");
  set_option(options, "faithful", "false");
  EXPECT_EQ(options, (Options{.shape = {8, 4, 2},
                              .lines = "xz",
                              .cores = 2,
                              .segments = 16,
                              .lanes = 4,
                              .subdivisions = -1,
                              .faithful = false}));
}

std::string refusal(std::string_view key, std::string_view value) {
  Options options;
  try {
    set_option(options, key, value);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, RefuseUnknownKeysAndWrongValues) {
  EXPECT_EQ(refusal("shap", "8"),
            "\"shap\" is not an option of a collective\ndid you mean \"shape\"? known: shape, "
            "lines, cores, slices, segments, lanes, servers, packs, subdivisions, faithful");
  EXPECT_EQ(refusal("segments", "0"),
            "\"0\" is not a valid value of segments\ngive a whole number from 1 to 4194304");
  EXPECT_EQ(refusal("segments", "2147483647"),
            "\"2147483647\" is not a valid value of segments\ngive a whole number from 1 to 4194304");
  EXPECT_EQ(refusal("shape", "8x"),
            "\"\" is not a valid value of shape\ngive a whole number from 1 to 4194304");
  EXPECT_EQ(refusal("lines", "x w"),
            "\"x w\" is not a valid value of lines\nname axes of the shape: x, y, z");
  EXPECT_EQ(refusal("faithful", "no"), "\"no\" is not a valid value of faithful\ngive true or false");
}

}  // namespace
}  // namespace wt::collective
