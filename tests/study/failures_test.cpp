// Claims: a training through failures ends, keeps every step once, and comes to the weights of the training in which
// nothing fails, whatever fails and however it is saved (study/disturbed/trial.h). `windtunnel verify failures` tries
// further seeds.

#include <gtest/gtest.h>

#include <map>

#include "study/disturbed/trial.h"
#include "study/drawn/site.h"

namespace wt::disturbed {
namespace {

TEST(Failures, Of200DrawnScenariosEachEndsWithEveryStepKeptOnce) {
  std::map<std::string, int> complete, restarted, compared;
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    const Trial trial = try_out(seed);
    EXPECT_EQ(trial.wrong, "") << "seed " << seed << ": " << trial.strategy;
    complete[trial.strategy] += trial.is_complete ? 1 : 0;
    restarted[trial.strategy] += trial.attempts > 1 ? 1 : 0;
    compared[trial.strategy] += trial.is_compared ? 1 : 0;
  }
  // The draw is not an empty one: of every strategy some scenarios fail, and some are complete all the same.
  for (const std::string_view strategy : drawn::strategies()) {
    EXPECT_GE(complete[std::string(strategy)], 3) << strategy;
    EXPECT_GE(restarted[std::string(strategy)], 3) << strategy;
  }
  for (const std::string_view strategy : drawn::strategies())
    if (!strategy.starts_with("parameter_server")) {
      EXPECT_GE(compared[std::string(strategy)], 10) << strategy;
    }
}

}  // namespace
}  // namespace wt::disturbed
