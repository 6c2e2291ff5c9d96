// Claims: a planner's paths through the command: an answer in words and as JSON, a missing or double target, a
// global batch that decides and is not given, a misspelt platform, and a target out of reach.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

class Recommend : public ::testing::Test {
 protected:
  Recommend() {
    write_text(folder_ / "base.json", R"({
      "name": "base", "model": "mlp", "dataset": {"type": "synthetic", "rows": 65536},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 64},
      "numerics": "none"
    })");
  }
  test::Said call(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"recommend", (folder_ / "base.json").string(), "--processes", "1"};
    if (std::ranges::count(more, "--max-devices") == 0) more.insert(more.end(), {"--max-devices", "16"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::call(arguments);
  }
  void refused(const std::vector<std::string>& more, const std::string& part) const {
    const test::Said said = call(more);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.messages;
    EXPECT_NE(said.messages.find(part), std::string::npos) << said.messages;
  }
  test::TestFolder folder_{};
};

TEST_F(Recommend, PrintsTheSmallestMachines) {
  const test::Said said =
      call({"--target", "1000", "--max-global-batch", "1024", "--platforms", "dgx_a100,ideal_switch"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  for (const char* part : {"Held fixed:", "a global batch of at most 1024", "dgx_a100", "1 machine",
                           "How sure", "Assumptions", "nearest:"})
    EXPECT_NE(said.results.find(part), std::string::npos) << part << "\n" << said.results;
}

TEST_F(Recommend, PrintsTheSameAsJson) {
  const test::Said said =
      call({"--target", "1000", "--max-global-batch", "1024", "--platforms", "dgx_a100", "--json"});
  const json::Value tree = json::parse(said.results, "answer");
  const json::Value& choice = tree.find("choices")->elements().at(0);
  EXPECT_EQ(choice.find("platform")->string(), "dgx_a100");
  EXPECT_EQ(choice.find("smallest")->find("machines")->integer(), 1);
  EXPECT_LE(choice.find("at_least")->find("count")->integer(),
            choice.find("at_most")->find("count")->integer());
}

TEST_F(Recommend, AsksForOneTarget) {
  refused({"--max-global-batch", "1024"}, "the question has no target");
  refused({"--target", "5", "--fit", "--max-global-batch", "1024"}, "the question has 2 targets");
  refused({"--target", "0", "--max-global-batch", "1024"}, "--target must be above 0");
  refused({"--epoch", "soon", "--max-global-batch", "1024"}, "soon");
}

TEST_F(Recommend, AsksForTheGlobalBatchWhereItDecides) {
  refused({"--target", "1000", "--platforms", "ideal_switch"}, "--max-global-batch 8192");
  refused({"--target", "1000", "--max-global-batch", "many"}, "no number of rows");
  EXPECT_EQ(call({"--target", "1000", "--max-global-batch", "none", "--platforms", "ideal_switch"}).exit,
            cli::Exit::done);
  EXPECT_EQ(call({"--fit", "--platforms", "ideal_switch"}).exit, cli::Exit::done);
}

TEST_F(Recommend, NamesAllMistakesAtOnce) {
  refused({"--platforms", "dgx_a1000", "--quantile", "0.7"}, "did you mean \"dgx_a100\"");
  refused({"--platforms", "dgx_a1000", "--quantile", "0.7"}, "--quantile must be between 0 and 0.5");
  refused({"--target", "5", "--max-global-batch", "9", "--max-devices", "0"}, "--max-devices must be");
  refused({"--target", "5", "--max-global-batch", "9", "--set", "time.compute=measured"}, "roofline");
}

TEST_F(Recommend, SaysTheMostWhereTheTargetIsOutOfReach) {
  const test::Said said =
      call({"--target", "1e12", "--max-global-batch", "1024", "--platforms", "ideal_switch,laptop_rtx4090"});
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_NE(said.results.find("no machine reaches the target"), std::string::npos) << said.results;
  EXPECT_NE(said.results.find("Too slow, with the most that each was found to reach"), std::string::npos);
}

// A row of BERT-large takes more than the 6 GB of a laptop, and less than the memory of the other devices.
TEST_F(Recommend, ListsAPlatformThatCantRunTheScenario) {
  const test::Said said = call({"--target", "1", "--max-global-batch", "64", "--platforms",
                                "dgx_h100,laptop_rtx3060,dgx1_p100", "--set", "model=bert_large", "--set",
                                "training.per_replica_batch=1", "--set", "platform=laptop_rtx3060"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_NE(said.results.find("Not possible:\n  laptop_rtx3060"), std::string::npos) << said.results;
}

}  // namespace
}  // namespace wt
