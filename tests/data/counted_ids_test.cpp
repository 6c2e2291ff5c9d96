// Claims: counts of ids, or of ranges of ids, are read from a CSV file in any order; shares and drawn ids follow them;
// what is wrong with a file is said at its lines, all at once.

#include "data/counted_ids.h"

#include <gtest/gtest.h>

#include "support/folder.h"

namespace wt::data {
namespace {

class CountedIdsFile : public testing::Test {
 protected:
  CountedIds read(const std::string& text) const {
    return read_counted_ids(folder_.write("counts.csv", text).string(), {});
  }
  std::vector<std::string> problems(const std::string& text) const {
    std::vector<std::string> facts;
    try {
      read(text);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        facts.push_back(std::to_string(problem.place.line) + ": " + problem.fact);
    }
    return facts;
  }
  test::TestFolder folder_{};
};

TEST_F(CountedIdsFile, HasALineForEachIdInAnyOrder) {
  const CountedIds ids = read("id,count\n7,1\n0,2\n3,0\n2,1\n");
  EXPECT_EQ(ids.largest(), 7);
  for (const auto& [end, share] : {std::pair{0, 0.0}, {1, 0.5}, {2, 0.5}, {3, 0.75}, {7, 0.75}, {8, 1.0}})
    EXPECT_DOUBLE_EQ(ids.below(end), share) << end;
  for (const auto& [uniform, id] : {std::pair{0.0, 0}, {0.49, 0}, {0.5, 2}, {0.74, 2}, {0.75, 7}, {0.999, 7}})
    EXPECT_EQ(ids.id(uniform), id) << uniform;
}

TEST_F(CountedIdsFile, HasALineForARangeOfIds) {
  const CountedIds ids = read("first,last,count\n100,999999999,20\n0,99,60\n");
  EXPECT_DOUBLE_EQ(ids.below(50), 0.375);
  EXPECT_DOUBLE_EQ(ids.below(100), 0.75);
  EXPECT_DOUBLE_EQ(ids.below(1e9), 1);
  EXPECT_EQ(ids.id(0.375), 50);
  EXPECT_EQ(ids.id(0.75), 100);
  EXPECT_NEAR(static_cast<double>(ids.id(0.875)), 0.5 * (1e9 - 100) + 100, 2);
}

TEST_F(CountedIdsFile, SaysAllThatIsWrongAtItsLines) {
  EXPECT_EQ(problems("word,count\n"), std::vector<std::string>{R"(0: the first line is "word,count")"});
  EXPECT_EQ(problems(""), std::vector<std::string>{R"(0: the first line is "")"});
  EXPECT_EQ(problems("id,count\n1,x\n-2,1\n3\n1.5,1\n"),
            (std::vector<std::string>{R"(2: "x" is not a number)", R"(3: "-2" is negative)",
                                      "4: 1 fields, and the first line has 2",
                                      R"(5: "1.5" is not a whole number)"}));
  EXPECT_EQ(problems("id,count\n1,1\n2,1\n1,1\n"), std::vector<std::string>{"4: the id 1 has a count twice"});
  EXPECT_EQ(problems("first,last,count\n0,9,1\n5,6,1\n9,3,1\n"),
            std::vector<std::string>{"4: the range ends before it begins"});
  EXPECT_EQ(problems("first,last,count\n0,9,1\n5,6,1\n"),
            std::vector<std::string>{"3: the id 5 has a count twice"});
  EXPECT_EQ(problems("id,count\n1,0\n"), std::vector<std::string>{"0: no id has a count above 0"});
}

}  // namespace
}  // namespace wt::data
