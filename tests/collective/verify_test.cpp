// Claims: the verifier accepts a correct schedule, and reports each kind of fault in plain words.
#include "collective/verify.h"

#include <gtest/gtest.h>

#include "schedules.h"

namespace wt::collective {
namespace {

Contract two_ranks(int chunks = 1) {
  return {.operation = Operation::all_reduce, .ranks = 2, .cut = {.elements = 8, .chunks = chunks}};
}

std::string findings(Contract contract, std::vector<Step> steps) {
  return print(verify({"by_hand", std::move(contract), std::move(steps)}));
}

Step step(Move move, std::vector<Dependency> start = {}, std::vector<Dependency> apply = {}) {
  return {std::move(move), std::move(start), std::move(apply)};
}

const Move give{0, 1, Effect::reduce, 0}, bring{1, 0, Effect::copy, 0};

TEST(Verify, FindsNothingInACorrectSchedule) {
  EXPECT_EQ(findings(two_ranks(), {step(give), step(bring, {{0, Until::done}})}), "");
}

TEST(Verify, ReportsWhatAnUnorderedMoveMayBreak) {
  const std::string text = findings(two_ranks(), {step(give), step(bring)});
  EXPECT_EQ(text.substr(0, 126),
            "move 1 may overwrite rank 0's slot 0 while move 0 still sends it\n"
            "move 0 may add to rank 1's slot 0 while move 1 still sends it");
}

TEST(Verify, ReportsTheRankThatMissesAChunk) {
  EXPECT_EQ(findings(two_ranks(), {step(give)}), "rank 0 misses rank 1's chunk 0\n");
}

TEST(Verify, ReportsARankWhoseValuesAreInNoResult) {
  const Contract three{.operation = Operation::reduce, .ranks = 3, .cut = {.elements = 2, .chunks = 2}};
  EXPECT_EQ(findings(three, {step({1, 0, Effect::reduce, {0, 2}})}),
            "rank 2 is left out: no result contains its values\n");
}

TEST(Verify, ReportsWhatIsCountedTwice) {
  EXPECT_EQ(findings(two_ranks(),
                     {step(give), step(give, {}, {{0, Until::done}}), step(bring, {{1, Until::done}})}),
            "move 1 counts rank 0's chunk 0 twice in rank 1\n");
}

TEST(Verify, ReportsADependencyThatOthersImply) {
  const Contract three{.operation = Operation::broadcast, .ranks = 3, .cut = {.elements = 1}};
  EXPECT_EQ(findings(three, {step({0, 1, Effect::copy, 0}),
                             step({1, 2, Effect::copy, 0}, {{0, Until::sent}, {0, Until::done}})}),
            "move 1 need not wait for move 0: its other dependencies imply it\n");
}

TEST(Verify, ReportsMovesThatWaitForEachOther) {
  EXPECT_EQ(findings(two_ranks(), {step(give, {{1, Until::done}}), step(bring, {{0, Until::done}})}),
            "deadlock: moves 0, 1 never finish, because moves wait for each other in a cycle\n");
}

TEST(Verify, ReportsACopyThatChangesNothing) {
  EXPECT_EQ(findings(two_ranks(), {step(give), step(bring, {{0, Until::done}}),
                                   step({0, 1, Effect::copy, 0}, {{1, Until::done}})}),
            "move 2 copies to rank 1 a value that is there already (slot 0)\n");
}

TEST(Verify, ReportsValuesThatDoNotBelongTogether) {
  Contract contract = two_ranks(2);
  contract.scratch = 2;
  const auto first_line = [&](Move move) {
    const std::string text = findings(contract, {step(std::move(move))});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line({0, 1, Effect::reduce, 0, 1}), "move 0 adds chunk 0 to rank 1's chunk 1");
  EXPECT_EQ(first_line({0, 1, Effect::copy, 2}), "move 0 sends rank 0's slot 2, which holds nothing");
  EXPECT_EQ(first_line({0, 1, Effect::reduce, 0, 2}), "move 0 adds to rank 1's slot 2, which holds nothing");
}

TEST(Verify, ReportsMalformedMoves) {
  EXPECT_EQ(findings(two_ranks(), {step({0, 0, Effect::copy, 0}), step({0, 2, Effect::copy, 0}),
                                   step({0, 1, Effect::copy, {}}), step({0, 1, Effect::copy, {0, 2}}),
                                   step(give, {{9, Until::done}})}),
            "move 0 goes from rank 0 to itself, into the same slots\n"
            "move 1 names member 2, but there are 2 ranks and helpers\n"
            "move 2 has no chunks\n"
            "move 3 names slots outside of 0 to 0\n"
            "move 4 waits for move 9, which does not exist\n");
}

TEST(Verify, CountsWhatItDoesNotShow) {
  EXPECT_EQ(
      findings({.operation = Operation::broadcast, .ranks = 2, .cut = {.elements = 20, .chunks = 20}},
               {step({0, 1, Effect::copy, {0, 8}})}),
      "rank 1 misses rank 0's chunk 8\nrank 1 misses rank 0's chunk 9\nrank 1 misses rank 0's chunk 10\n"
      "rank 1 misses rank 0's chunk 11\nrank 1 misses rank 0's chunk 12\nrank 1 misses rank 0's chunk 13\n"
      "rank 1 misses rank 0's chunk 14\nrank 1 misses rank 0's chunk 15; and 4 more like it\n");
}

// ---- TensorFlow's hierarchical copy of an odd number of ranks

TEST(HierarchicalCopy, F7_TheLastOfAnOddCountIsLeftOutAndNamed) {
  for (const int ranks : {3, 5, 7}) {
    for (const int packs : {1, 2, 3, 8}) {
      Expanded schedule = expanded("hierarchical_copy", ranks, {.packs = packs});
      EXPECT_EQ(schedule.contract.left_out, std::vector<int>{ranks - 1});
      EXPECT_EQ(print(verify(schedule)), "");
      schedule.contract.left_out.clear();
      EXPECT_EQ(print(verify(schedule)),
                "rank " + std::to_string(ranks - 1) + " is left out: no result contains its values\n");
    }
  }
}

TEST(HierarchicalCopy, F7_IncludesTheLastRankWhereFaithfulIsFalse) {
  for (const int ranks : {2, 3, 4, 5, 7, 8}) {
    for (const int packs : {1, 2, 3, 8}) {
      const Expanded schedule = expanded("hierarchical_copy", ranks, {.packs = packs, .faithful = false});
      EXPECT_TRUE(schedule.contract.left_out.empty());
      EXPECT_EQ(print(verify(schedule)), "") << ranks << " ranks, " << packs << " packs";
    }
  }
}

TEST(Verify, ReportsARankThatIsNotLeftOutAsTheContractSays) {
  Contract contract = two_ranks();
  contract.left_out = {1};
  EXPECT_EQ(findings(contract, {step(give), step(bring, {{0, Until::done}})}),
            "rank 1 is listed in left_out, but it is not left out\n");
}

}  // namespace
}  // namespace wt::collective
