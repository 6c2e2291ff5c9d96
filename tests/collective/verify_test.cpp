// The verifier is shown schedules that are wrong, one way each.
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

TEST(Verify, IsContentWithAProof) {
  EXPECT_EQ(findings(two_ranks(), {step(give), step(bring, {{0, Until::done}})}), "");
}

TEST(Verify, TellsWhatAnUnorderedMoveMayBreak) {
  const std::string told = findings(two_ranks(), {step(give), step(bring)});
  EXPECT_EQ(told.substr(0, 126),
            "move 1 may overwrite rank 0's slot 0 while move 0 still sends it\n"
            "move 0 may add to rank 1's slot 0 while move 1 still sends it");
}

TEST(Verify, TellsWhoMissesWhat) {
  EXPECT_EQ(findings(two_ranks(), {step(give)}), "rank 0 misses rank 1's chunk 0\n");
}

TEST(Verify, TellsARankWhoseValuesReachNobody) {
  const Contract three{.operation = Operation::reduce, .ranks = 3, .cut = {.elements = 2, .chunks = 2}};
  EXPECT_EQ(findings(three, {step({1, 0, Effect::reduce, {0, 2}})}),
            "rank 2 is left out: nobody gets what it brings\n");
}

TEST(Verify, TellsWhatIsCountedTwice) {
  EXPECT_EQ(findings(two_ranks(),
                     {step(give), step(give, {}, {{0, Until::done}}), step(bring, {{1, Until::done}})}),
            "move 1 counts rank 0's chunk 0 twice in rank 1\n");
}

TEST(Verify, TellsADependencyThatOthersImply) {
  const Contract three{.operation = Operation::broadcast, .ranks = 3, .cut = {.elements = 1}};
  EXPECT_EQ(findings(three, {step({0, 1, Effect::copy, 0}),
                             step({1, 2, Effect::copy, 0}, {{0, Until::sent}, {0, Until::done}})}),
            "move 1 needn't wait for move 0: others imply it\n");
}

TEST(Verify, TellsMovesThatWaitForEachOther) {
  EXPECT_EQ(findings(two_ranks(), {step(give, {{1, Until::done}}), step(bring, {{0, Until::done}})}),
            "nothing more can happen: moves 0, 1 wait, among them for each other\n");
}

TEST(Verify, TellsACopyThatBringsNothingNew) {
  EXPECT_EQ(findings(two_ranks(), {step(give), step(bring, {{0, Until::done}}),
                                   step({0, 1, Effect::copy, 0}, {{1, Until::done}})}),
            "move 2 brings rank 1 what it has already (slot 0)\n");
}

TEST(Verify, TellsValuesThatDoNotBelongTogether) {
  Contract contract = two_ranks(2);
  contract.scratch = 2;
  const auto first_line = [&](Move move) {
    const std::string told = findings(contract, {step(std::move(move))});
    return told.substr(0, told.find('\n'));
  };
  EXPECT_EQ(first_line({0, 1, Effect::reduce, 0, 1}), "move 0 adds chunk 0 to rank 1's chunk 1");
  EXPECT_EQ(first_line({0, 1, Effect::copy, 2}), "move 0 sends rank 0's slot 2, which holds nothing");
  EXPECT_EQ(first_line({0, 1, Effect::reduce, 0, 2}), "move 0 adds to rank 1's slot 2, which holds nothing");
}

TEST(Verify, TellsWhatIsNoMove) {
  EXPECT_EQ(findings(two_ranks(), {step({0, 0, Effect::copy, 0}), step({0, 2, Effect::copy, 0}),
                                   step({0, 1, Effect::copy, {}}), step({0, 1, Effect::copy, {0, 2}}),
                                   step(give, {{9, Until::done}})}),
            "move 0 goes from rank 0 to itself\n"
            "move 1 names rank 2; there are 2\n"
            "move 2 moves nothing\n"
            "move 3 touches slots beyond 0\n"
            "move 4 waits for move 9, which isn't there\n");
}

TEST(Verify, CountsWhatItDoesNotShow) {
  EXPECT_EQ(
      findings({.operation = Operation::broadcast, .ranks = 2, .cut = {.elements = 20, .chunks = 20}},
               {step({0, 1, Effect::copy, {0, 8}})}),
      "rank 1 misses rank 0's chunk 8\nrank 1 misses rank 0's chunk 9\nrank 1 misses rank 0's chunk 10\n"
      "rank 1 misses rank 0's chunk 11\nrank 1 misses rank 0's chunk 12\nrank 1 misses rank 0's chunk 13\n"
      "rank 1 misses rank 0's chunk 14\nrank 1 misses rank 0's chunk 15; and 4 more like it\n");
}

// ---- TensorFlow's hierarchical copy, odd counts

TEST(HierarchicalCopy, F7_TheLastOfAnOddCountIsLeftOutAndNamed) {
  for (const int ranks : {3, 5, 7}) {
    for (const int packs : {1, 2, 3, 8}) {
      Expanded schedule = expanded("hierarchical_copy", ranks, {.packs = packs});
      EXPECT_EQ(schedule.contract.left_out, std::vector<int>{ranks - 1});
      EXPECT_EQ(print(verify(schedule)), "");
      schedule.contract.left_out.clear();
      EXPECT_EQ(print(verify(schedule)),
                "rank " + std::to_string(ranks - 1) + " is left out: nobody gets what it brings\n");
    }
  }
}

TEST(HierarchicalCopy, F7_IsMendedWhereFaithfulIsFalse) {
  for (const int ranks : {2, 3, 4, 5, 7, 8}) {
    for (const int packs : {1, 2, 3, 8}) {
      const Expanded schedule = expanded("hierarchical_copy", ranks, {.packs = packs, .faithful = false});
      EXPECT_TRUE(schedule.contract.left_out.empty());
      EXPECT_EQ(print(verify(schedule)), "") << ranks << " ranks, " << packs << " packs";
    }
  }
}

TEST(Verify, IsNotContentWhenSomebodyIsNotLeftOutAsTold) {
  Contract contract = two_ranks();
  contract.left_out = {1};
  EXPECT_EQ(findings(contract, {step(give), step(bring, {{0, Until::done}})}),
            "rank 1 should be left out and isn't\n");
}

}  // namespace
}  // namespace wt::collective
