// Claims: a scenario comes to the same whether its numbers are computed or not, on one thread or four, with collectives
// that are expanded or folded, at once or continued from a checkpoint (study/agreement/trial.h). `windtunnel verify
// agreement` tries further seeds.

#include <gtest/gtest.h>

#include "study/agreement/trial.h"

namespace wt::agreement {
namespace {

TEST(Agreement, Of40DrawnScenariosInEveryWay) {
  constexpr int scenarios = 40;
  std::map<std::string, Counts> sums;
  for (std::int64_t seed = 0; seed < scenarios; ++seed) {
    const Trial trial = try_out(seed);
    EXPECT_EQ(trial.wrong, "") << "seed " << seed << ": " << trial.strategy;
    for (const auto& [way, counts] : trial.ways) sums[way].agree += counts.agree;
  }
  // The draw is not an empty one: some scenarios can be folded, and of those that wait for each other many continued.
  for (const char* way : {"again", "four threads", "resolved", "without numbers", "expanded"})
    EXPECT_EQ(sums[way].agree, scenarios) << way;
  EXPECT_GE(sums["continued"].agree, scenarios / 3);
  EXPECT_GE(sums["folded"].agree, 3);
}

}  // namespace
}  // namespace wt::agreement
