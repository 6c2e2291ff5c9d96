// Claims: the code under "Write your own all-reduce" in src/collective/README.md is the code below, letter by
// letter, and does what the page says.
#include <gtest/gtest.h>

#include "base/file.h"
#include "collective/execute.h"
#include "schedules.h"

// clang-format off
// ---- from here
#include "collective/rule.h"
#include "collective/verify.h"

using namespace wt::collective;

Schedule meet_in_the_middle(int n, std::int64_t elements) {
  const int middle = n / 2;
  const Rule inwards{middle, [=](int round, Round& moves) {
                       const int left = round, right = n - 1 - round;
                       moves.reduce(left, left + 1, 0);
                       if (right > middle) moves.reduce(right, right - 1, 0);
                     }};
  const Rule outwards = reversed(inwards, Effect::copy);

  Contract contract{.operation = Operation::all_reduce, .ranks = n};
  contract.cut = {.elements = elements, .chunks = 8};  // the segments of a pipeline
  return {"meet_in_the_middle", contract, pipelined(then(inwards, outwards), 8)};
}

std::vector<Finding> prove(int n) { return verify(expand(meet_in_the_middle(n, 1024))); }  // empty: proved
// ---- to here
// clang-format on

namespace wt::collective {
namespace {

TEST(OwnAllReduce, IsOnThePageAsItIsCompiledHere) {
  const std::string here = read_text(std::string(WT_TEST_DATA) + "/collective/own_all_reduce_test.cpp");
  const std::string begin_mark = "// ---- from here\n", end_mark = "// ---- to here\n";
  const std::size_t begin = here.find(begin_mark) + begin_mark.size();
  const std::string code = here.substr(begin, here.find(end_mark, begin) - begin);
  const std::string page = read_text(std::string(WT_SOURCE_DIR) + "/src/collective/README.md");
  EXPECT_NE(page.find("```cpp\n" + code + "```"), std::string::npos);
}

TEST(OwnAllReduce, IsProvedAndAddsUp) {
  for (int n = 2; n <= 24; ++n) EXPECT_EQ(print(prove(n)), "") << n;
  const Expanded schedule = expand(meet_in_the_middle(7, 40));
  const auto vectors = random_vectors<double>(schedule.contract, 1, true);
  double sum = 0;
  for (const auto& vector : vectors) sum += vector[39];
  for (const auto& result : execute_on(schedule, vectors, 2)) EXPECT_EQ(result[39], sum);
}

// The mistake that the page describes, which leaves out the moves between rank 4 and the middle.
TEST(OwnAllReduce, IsRefutedAsThePageSays) {
  Schedule schedule = meet_in_the_middle(7, 1024);
  schedule.rule.add = [whole = schedule.rule.add](int round, Round& moves) {
    whole(round, moves);
    std::erase_if(moves.moves, [](const Move& move) { return move.source + move.target == 3 + 4; });
  };
  EXPECT_EQ(verify(expand(schedule)).at(0).text, "rank 0 misses rank 4's chunk 0");
}

}  // namespace
}  // namespace wt::collective
