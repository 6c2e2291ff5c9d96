#include "report/comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/constants_version.h"
#include "report/results.h"

namespace wt::report {
namespace {

TEST(Comparison, SaysThatTimesComeFromDifferentConstants) {
  std::vector<session::Results> runs(3);
  EXPECT_EQ(warning_of_versions(runs), "");
  runs[1].constants = runs[0].constants + 1;
  runs[2].constants = runs[1].constants;
  EXPECT_EQ(
      warning_of_versions(runs),
      fmt::format("the model's constants have different versions ({}, {}), which move times by themselves: "
                  "CHANGELOG.md says what and by how much",
                  platform::constants_version, platform::constants_version + 1));
  EXPECT_NE(csv(comparison(runs)).find("constants_version"), std::string::npos);
}

TEST(Comparison, ResultsCarryTheVersionOfTheConstants) {
  EXPECT_NE(results_json({}).find(fmt::format("\"constants_version\": {},", platform::constants_version)),
            std::string::npos);
}

}  // namespace
}  // namespace wt::report
