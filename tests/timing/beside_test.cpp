// Claims: an evaluator takes the newest checkpoint whenever it is free, skips those before, and always evaluates the
// last one. Dates are computed by hand.

#include "timing/beside.h"

#include <gtest/gtest.h>

#include <tuple>

namespace wt::timing {
namespace {

using Row = std::tuple<std::size_t, double, double>;  // checkpoint, begin, end

std::vector<Row> beside(const std::vector<double>& saved, double each) {
  std::vector<Seconds> dates;
  for (const double date : saved) dates.emplace_back(date);
  std::vector<Row> rows;
  for (const EvaluationBeside& found : evaluations_beside(dates, Seconds(each)))
    rows.emplace_back(found.checkpoint, found.begin.count(), found.end.count());
  return rows;
}

TEST(EvaluationsBeside, TakeEachCheckpointIfTheyAreFastEnough) {
  EXPECT_EQ(beside({10, 20, 30}, 4), (std::vector<Row>{{0, 10, 14}, {1, 20, 24}, {2, 30, 34}}));
  EXPECT_EQ(beside({10, 20, 30}, 10), (std::vector<Row>{{0, 10, 20}, {1, 20, 30}, {2, 30, 40}}));
}

TEST(EvaluationsBeside, SkipCheckpointsThatAreNoLongerTheNewest) {
  EXPECT_EQ(beside({10, 20, 30, 40, 50, 60}, 25), (std::vector<Row>{{0, 10, 35}, {2, 35, 60}, {5, 60, 85}}));
}

TEST(EvaluationsBeside, EndWithTheLastCheckpointHoweverSlowTheyAre) {
  EXPECT_EQ(beside({10, 20, 30}, 1000), (std::vector<Row>{{0, 10, 1010}, {2, 1010, 2010}}));
  EXPECT_EQ(beside({}, 1), std::vector<Row>{});
}

}  // namespace
}  // namespace wt::timing
