// Claim: every command takes every shipped scenario, or refuses it with a reason; none ends with a fault, and
// `validate` and `run` agree. `windtunnel verify scenarios scenarios` also runs what takes more than 5 s.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.h"

namespace wt {
namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WT_SOURCE_DIR) + "/scenarios"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class EveryCommand : public testing::TestWithParam<std::string> {};

TEST_P(EveryCommand, TakesTheScenarioOrSaysWhyNot) {
  const test::Said said = test::call(
      {"verify", "scenarios", std::string(WT_SOURCE_DIR) + "/scenarios", "--quick", "--only", GetParam()});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.results << said.messages;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryCommand, testing::ValuesIn(shipped()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace wt
