#include "report/comparison.h"

#include <gtest/gtest.h>

#include "report/results.h"

namespace wt::report {
namespace {

TEST(Comparison, SaysThatTimesComeFromDifferentConstants) {
  std::vector<session::Results> runs(3);
  EXPECT_EQ(warning_of_versions(runs), "");
  runs[1].constants = runs[0].constants + 1;
  runs[2].constants = runs[1].constants;
  EXPECT_EQ(warning_of_versions(runs),
            "the model's constants have different versions (2, 3), which move times by themselves: "
            "CHANGELOG.md says what and by how much");
  EXPECT_NE(csv(comparison(runs)).find("constants_version"), std::string::npos);
}

TEST(Comparison, ResultsCarryTheVersionOfTheConstants) {
  EXPECT_NE(results_json({}).find("\"constants_version\": 2,"), std::string::npos);
}

}  // namespace
}  // namespace wt::report
