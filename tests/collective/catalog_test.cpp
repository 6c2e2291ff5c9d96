// Claims about all of the catalog: every algorithm does what its operation promises, gives the same bits in
// any legal order, and needs each of its moves and dependencies.
#include "collective/catalog.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "collective/deletion.h"
#include "collective/execute.h"
#include "collective/verify.h"
#include "schedules.h"

namespace wt::collective {
namespace {

std::string title(const Algorithm& algorithm, int ranks) {
  return fmt::format("{} {} of {}", name(algorithm.operation), algorithm.name, ranks);
}

template <class Claim>
void for_all(int first, int last, Claim claim) {
  for (const Algorithm& algorithm : algorithms())
    for (int ranks = first; ranks <= last; ++ranks)
      if (allows(algorithm, ranks)) claim(algorithm, ranks);
}

TEST(Catalog, EveryAlgorithmVerifiesForEveryNumberOfRanks) {
  for_all(1, 24, [](const Algorithm& algorithm, int ranks) {
    EXPECT_EQ(print(verify(expanded(algorithm, ranks))), "") << title(algorithm, ranks);
  });
}

TEST(Catalog, EveryAlgorithmVerifiesWhereVectorsAreShorterThanRanksAreMany) {
  for_all(2, 9, [](const Algorithm& algorithm, int ranks) {
    for (const std::int64_t elements : {1, 3, 10}) {
      const Schedule schedule = make_schedule(algorithm, {.ranks = ranks, .elements = elements});
      EXPECT_EQ(print(verify(expand(schedule))), "") << title(algorithm, ranks) << ", " << elements;
    }
  });
}

TEST(Catalog, NothingIsNotMoved) {
  for_all(2, 9, [](const Algorithm& algorithm, int ranks) {
    EXPECT_TRUE(expand(make_schedule(algorithm, {.ranks = ranks})).steps.empty()) << title(algorithm, ranks);
  });
}

TEST(Catalog, EveryAlgorithmVerifiesForEveryRoot) {
  for_all(2, 9, [](const Algorithm& algorithm, int ranks) {
    for (int root = 1; root < ranks; ++root) {
      const Schedule schedule = make_schedule(algorithm, {.ranks = ranks, .elements = 1 << 12, .root = root});
      EXPECT_EQ(print(verify(expand(schedule))), "") << title(algorithm, ranks) << " from " << root;
    }
  });
}

// Without a dependency two moves race, and without a move a result is incomplete; the verifier must report
// both.
TEST(Catalog, NothingOfAScheduleCanBeLeftOutUnnoticed) {
  for_all(2, 8, [](const Algorithm& algorithm, int ranks) {
    const Deletions result = try_deletions(expanded(algorithm, ranks, {.segments = 2}));
    EXPECT_GT(result.tried, 0U);
    EXPECT_EQ(result.unnoticed, std::vector<std::string>{}) << title(algorithm, ranks);
  });
}

// The vectors that the operation promises. Ranks that the contract leaves out (hierarchical copy) don't
// count.
std::vector<std::vector<double>> sums_of(const Contract& contract,
                                         const std::vector<std::vector<double>>& vectors) {
  std::vector<std::vector<double>> result = vectors;
  for (int wants = 0; wants < contract.ranks; ++wants)
    for (int chunk = 0; chunk < contract.cut.chunks; ++chunk) {
      if (!contract.wants(wants, chunk)) continue;
      for (std::int64_t i = contract.cut.begin(chunk); i < contract.cut.begin(chunk + 1); ++i) {
        double sum = 0;
        for (int brings = 0; brings < contract.ranks; ++brings) {
          const bool left_out = std::count(contract.left_out.begin(), contract.left_out.end(), brings) > 0;
          if (contract.brings(brings, chunk) && !left_out)
            sum += vectors[static_cast<std::size_t>(brings)][static_cast<std::size_t>(i)];
        }
        result[static_cast<std::size_t>(wants)][static_cast<std::size_t>(i)] = sum;
      }
    }
  return result;
}

TEST(Catalog, WhatIsExecutedIsTheSumOfWhatWasBrought) {
  for_all(1, 12, [](const Algorithm& algorithm, int ranks) {
    const Expanded schedule =
        expand(make_schedule(algorithm, {.ranks = ranks, .elements = 150, .options = {.segments = 3}}));
    const auto vectors = random_vectors<double>(schedule.contract, 7, true);
    EXPECT_EQ(execute_on(schedule, vectors, 1), sums_of(schedule.contract, vectors))
        << title(algorithm, ranks);
  });
}

TEST(Catalog, EveryLegalOrderGivesTheSameBits) {
  for (const int ranks : {4, 6, 7, 8}) {
    for_all(ranks, ranks, [](const Algorithm& algorithm, int n) {
      const Expanded schedule = expand(make_schedule(algorithm, {.ranks = n, .elements = 40}));
      const auto vectors = random_vectors<float>(schedule.contract, 11);
      const auto first = execute_on(schedule, vectors, 0);
      for (std::uint64_t seed = 1; seed <= 20; ++seed)
        ASSERT_EQ(execute_on(schedule, vectors, seed), first) << title(algorithm, n) << ", order " << seed;
    });
  }
}

// Replicas whose gradients differ in a single bit would drift apart.
TEST(Catalog, AfterAnAllReduceAllRanksHaveTheSameBits) {
  for_all(2, 12, [](const Algorithm& algorithm, int ranks) {
    if (algorithm.operation != Operation::all_reduce) return;
    const Expanded schedule = expand(make_schedule(algorithm, {.ranks = ranks, .elements = 300}));
    const auto results = execute_on(schedule, random_vectors<float>(schedule.contract, 3), 5);
    for (const auto& each : results) ASSERT_EQ(each, results[0]) << title(algorithm, ranks);
  });
}

TEST(Catalog, NamesAreUniqueWithinAnOperation) {
  for (const Algorithm& algorithm : algorithms())
    EXPECT_EQ(&algorithm_named(algorithm.operation, algorithm.name), &algorithm);
}

std::string refusal(std::string_view algorithm, const Request& request) {
  try {
    make_schedule(algorithm_named(Operation::all_reduce, algorithm), request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Catalog, RefusesUnknownNamesAndRequestsThatDoNotFit) {
  EXPECT_EQ(refusal("swnig", {.ranks = 4}).substr(0, 76),
            "\"swnig\" is not an algorithm for all_reduce\ndid you mean \"swing\"? known: ring");
  EXPECT_EQ(refusal("swing", {.ranks = 7, .elements = 9}), "swing is for an even number of ranks, not for 7");
  EXPECT_EQ(refusal("torus_2d", {.ranks = 7, .elements = 9}),
            "torus_2d is for a product of two numbers above 1, not for 7");
  EXPECT_EQ(refusal("torus_2d", {.ranks = 8, .elements = 9, .options = {.shape = {3, 2}}}),
            "shape 3x2 holds 6 ranks, not 8");
  EXPECT_EQ(refusal("ring", {.ranks = 8, .elements = 9, .root = 8}), "rank 8 can't be the root of 8 ranks");
  EXPECT_EQ(refusal("nvls_tree", {.ranks = 8, .elements = 9, .options = {.shape = {8, 1}}}),
            "nvls_tree is for two or more machines with two or more ranks each");
  EXPECT_EQ(refusal("ring", {.ranks = 0}), "a collective needs at least 1 rank, and there are 0");
}

TEST(Catalog, TakesEveryShapeThatHoldsTheRanks) {
  for (const Algorithm& algorithm : algorithms())
    for (const std::vector<int>& shape :
         {std::vector{8, 3}, {3, 8}, {2, 12}, {24, 1}, {1, 24}, {2, 3, 4}, {6, 2, 2}}) {
      if (std::count(algorithm.options.begin(), algorithm.options.end(), "shape") == 0) continue;
      if (algorithm.name == "nvls_tree" && (shape[0] == 1 || shape[0] == 24)) continue;
      EXPECT_EQ(print(verify(expanded(algorithm, 24, {.shape = shape}))), "")
          << algorithm.name << " " << shape[0] << "x" << shape[1];
    }
}

TEST(Catalog, ToriMayHaveLinesForAxesAndCoresInChips) {
  for (const std::string_view name : {"torus_2d", "torus_3d", "torus_2d_bucket", "torus_3d_bucket"})
    for (const std::string lines : {"", "x", "y", "z", "xy", "yz", "xyz"})
      for (const int cores : {1, 2, 3}) {
        const Options options{.shape = {2, 3, 4}, .lines = lines, .cores = cores};
        EXPECT_EQ(print(verify(expanded(name, 24 * cores, options))), "") << name << " " << lines << cores;
      }
  EXPECT_EQ(refusal("torus_2d", {.ranks = 8, .elements = 9, .options = {.cores = 3}}),
            "8 ranks are not a torus of chips with 3 cores each\n"
            "give another number of cores, or choose another algorithm");
  EXPECT_EQ(refusal("torus_2d_bucket", {.ranks = 6, .elements = 9, .options = {.cores = 2}}),
            "3 chips cannot be arranged along 2 axes\ngive a shape");
}

// Messages between slices go to the equal rank of a neighbouring slice, and every rank sends an equal share.
TEST(Catalog, ToriMayBeSeveralSlices) {
  for (const std::string_view name : {"torus_2d", "torus_3d", "torus_2d_bucket", "torus_3d_bucket"})
    for (const int slices : {2, 3, 4}) {
      const Options options{.shape = {2, 3}, .lines = "x", .cores = 2, .slices = slices};
      const Expanded schedule = expanded(name, 12 * slices, options);
      EXPECT_EQ(print(verify(schedule)), "") << name << " " << slices;
      std::map<int, int> leaving;
      for (const Step& step : schedule.steps) {
        if (step.move.source / 12 == step.move.target / 12) continue;
        EXPECT_EQ(step.move.target % 12, step.move.source % 12);
        const int ahead = (step.move.target / 12 - step.move.source / 12 + slices) % slices;
        EXPECT_TRUE(ahead == 1 || ahead == slices - 1) << "reversed parts go backwards";
        leaving[step.move.source] += step.move.chunks.count();
      }
      EXPECT_EQ(std::ssize(leaving), 12 * slices) << "all ranks take part";
      for (const auto& [rank, chunks] : leaving)
        EXPECT_EQ(chunks * 12 * slices, schedule.contract.cut.chunks * 2 * (slices - 1))
            << name << " " << rank;
    }
  EXPECT_EQ(refusal("torus_2d", {.ranks = 8, .elements = 9, .options = {.slices = 3}}),
            "8 ranks cannot be divided into 3 equal slices\ngive another number of slices");
}

// So do those that pass on a vector from a root, or add one up there, wherever the root is: each rank of a machine sends
// to another machine at most once, and each lane carries its own share of the vector.
TEST(Catalog, RailsFromAndToARootShareTheVectorAmongAllRanksOfAMachine) {
  for (const Operation operation : {Operation::broadcast, Operation::reduce})
    for (const std::vector<int>& shape : {std::vector{2, 2}, {2, 3}, {3, 2}, {3, 3}, {8, 2}, {8, 3}})
      for (int root = 0; root < shape[0] * shape[1]; ++root) {
        SCOPED_TRACE(fmt::format("{} x {}, root {}", shape[0], shape[1], root));
        const int size = shape[0], ranks = size * shape[1], segments = 4;
        const Expanded schedule = expand(make_schedule(algorithm_named(operation, "multi_rail"),
                                                       {.ranks = ranks,
                                                        .elements = 1 << 16,
                                                        .root = root,
                                                        .options = {.shape = shape, .segments = segments}}));
        EXPECT_EQ(print(verify(schedule)), "");
        EXPECT_EQ(schedule.contract.cut.chunks, segments * size);
        EXPECT_EQ(std::ssize(schedule.steps), (ranks - 1) * segments * size)
            << "each chunk once to each other rank";
        std::map<int, int> leaving;
        for (const Step& step : schedule.steps)
          if (step.move.source / size != step.move.target / size)
            leaving[step.move.source] += step.move.chunks.count();
        for (const auto& [rank, chunks] : leaving) EXPECT_LE(chunks, segments) << rank;
        for (int rank = root / size * size;
             operation == Operation::broadcast && rank < root / size * size + size; ++rank)
          EXPECT_EQ(leaving[rank], segments) << rank;
      }
}

// NCCL's rings use all NICs of a machine, in an all-reduce and in its halves. Messages go between equal ranks
// of machines.
TEST(Catalog, RailsOfAHalfLeaveEachMachineByEachRankEqually) {
  for (const Operation operation : {Operation::reduce_scatter, Operation::all_gather}) {
    const Expanded schedule = expanded(algorithm_named(operation, "multi_rail"), 16, {.shape = {4, 4}});
    EXPECT_EQ(print(verify(schedule)), "");
    std::map<int, int> leaving;
    for (const Step& step : schedule.steps) {
      if (step.move.source / 4 == step.move.target / 4) continue;
      EXPECT_EQ(step.move.source % 4, step.move.target % 4);
      leaving[step.move.source] += step.move.chunks.count();
    }
    for (const auto& [rank, chunks] : leaving) EXPECT_EQ(chunks, leaving.begin()->second) << rank;
    EXPECT_EQ(leaving.size(), 16U);
  }
}

// Only the heads of the lanes send to network switches, each of them its lane's part of the vector.
TEST(Catalog, SharpHasATreeForEachLane) {
  for (const int lanes : {1, 2, 4}) {
    const Expanded schedule = expanded("sharp", 24, {.shape = {4, 3, 2}, .segments = 2, .lanes = lanes});
    EXPECT_EQ(print(verify(schedule)), "") << lanes;
    EXPECT_EQ(schedule.contract.helpers, 3 * lanes);
    std::map<int, int> given;
    for (const Step& step : schedule.steps)
      if (step.move.source < 24 && step.move.target >= 24)
        given[step.move.source] += step.move.chunks.count();
    EXPECT_EQ(std::ssize(given), 6 * lanes);
    for (const auto& [rank, chunks] : given) {
      EXPECT_EQ(rank % (4 / lanes), 0);
      EXPECT_EQ(chunks * lanes, schedule.contract.cut.chunks);
    }
  }
}

// On a line, messages go to neighbours only. On a ring, the last rank sends to the first one.
TEST(Catalog, OnALineNoMessagePassesANeighbour) {
  const auto longest = [](const Options& options) {
    int most = 0;
    for (const Step& step : expanded("torus_2d_bucket", 20, options).steps)
      most = std::max({most, std::abs(step.move.source % 5 - step.move.target % 5),
                       std::abs(step.move.source / 5 - step.move.target / 5)});
    return most;
  };
  EXPECT_EQ(longest({.shape = {5, 4}}), 4);
  EXPECT_EQ(longest({.shape = {5, 4}, .lines = "x"}), 3);
  EXPECT_EQ(longest({.shape = {5, 4}, .lines = "xy"}), 1);
}

}  // namespace
}  // namespace wt::collective
