// Claims: every run says beside its time how sure that is and what it is known from, in text and in JSON; a comparison of
// times that rest on different bases says so.

#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::number_at;
using test::Said;
using test::scenario_file;

class SurenessOfRuns : public test::ScenarioRuns {};

TEST_F(SurenessOfRuns, StandsBesideTheTime) {
  struct Case {
    std::string scenario{}, known{};
    std::vector<std::string> set{};
  };
  for (const Case& each :
       {Case{"resnet50", "published", {}}, Case{"quickstart", "other networks", {}},
        Case{"quickstart", "data sheet alone", {"platform=dgx_b200"}},
        Case{"resnet50", "measured by you", {"time.measured_step=\"200 ms\""}},
        Case{"multi_worker_32_dgx_a100", "published", {}}, Case{"parameter_server_4_p100", "", {}},
        Case{"resnet50", "published", {"strategy=default"}}}) {
    std::vector<std::string> set = each.set;
    set.push_back("numerics=none");
    const Said said = run(each.scenario, "out", set);
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(has(said.results, "\nsure        ")) << said.results;
    EXPECT_TRUE(has(said.results, "known from: " + each.known)) << said.results;
    EXPECT_TRUE(has(said.results, "in 80 of 100 cases")) << said.results;
    const json::Value found = results("out");
    const double rate = number_at(found, {"simulated", "samples_per_second"});
    const double low = number_at(found, {"uncertainty", "samples_per_second", "low"});
    const double high = number_at(found, {"uncertainty", "samples_per_second", "high"});
    EXPECT_LT(low, high) << each.scenario;
    EXPECT_NEAR(high * number_at(found, {"uncertainty", "predicted_over_true", "low"}), rate, 1e-9 * rate);
  }
}

TEST_F(SurenessOfRuns, StandsInTheTableOfReplicas) {
  const Said said =
      test::call({"run", scenario_file("mirrored_dgx_a100"), "--replicas", "1,2,3,8", "--json"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value found = json::parse(said.results, "results");
  const auto& rows = found.find("rows")->elements();
  ASSERT_EQ(rows.size(), 4u);
  for (const json::Value& row : rows) {
    EXPECT_EQ(row.find("known_from")->string(), "published");
    EXPECT_LT(number_at(row, {"samples_per_second_low"}), number_at(row, {"samples_per_second"}));
    EXPECT_GT(number_at(row, {"samples_per_second_high"}), number_at(row, {"samples_per_second"}));
  }
}

TEST_F(SurenessOfRuns, IsAskedOfAComparison) {
  const auto compare = [&](const std::string& one, const std::string& other) {
    const Said said = test::call({"run", scenario_file(one), scenario_file(other), "--set", "numerics=none",
                                  "--out", (base_ / "both").string()});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return said.results;
  };
  EXPECT_TRUE(has(compare("resnet50", "quickstart"), "these times don't rest on the same basis"));
  const std::string alike = compare("resnet50", "multi_worker_32_dgx_a100");
  EXPECT_TRUE(has(alike, "known from")) << alike;
  EXPECT_FALSE(has(alike, "these times don't rest on the same basis")) << alike;
}

}  // namespace
}  // namespace wt
