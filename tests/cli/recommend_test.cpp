// Claims: a planner's paths through the command: an answer in words and as JSON, a missing or double target, a
// global batch that decides and is not given, a misspelt platform, and a target out of reach.

#include <gtest/gtest.h>

#include <fmt/format.h>

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

// The machine that is cheaper by the hour is the first, though it may have more devices.
TEST_F(Recommend, RanksByPricesWhereTheyAreGiven) {
  const auto first_with = [&](const std::string& price_of_a100, const std::string& price_of_p100) {
    const test::Said said =
        call({"--target", "1000", "--max-global-batch", "1024", "--platforms", "dgx_a100,dgx1_p100", "--json",
              "--price", "dgx_a100=" + price_of_a100, "--price", "dgx1_p100=" + price_of_p100});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value tree = json::parse(said.results, "answer");
    const json::Value& first = tree.find("choices")->elements().at(0);
    EXPECT_EQ(first.find("smallest")->find("currency")->string(), "USD");
    return first.find("platform")->string() +
           fmt::format(" {}", first.find("smallest")->find("cost_per_hour")->real());
  };
  EXPECT_EQ(first_with("32 USD/h", "8 USD/h, on_demand, 2026-11-23, a test"), "dgx1_p100 8");
  EXPECT_EQ(first_with("4 USD/h", "8 USD/h"), "dgx_a100 4");
}

TEST_F(Recommend, NamesPricesInTheAnswerAndNeverComparesTwoCurrencies) {
  const std::vector<std::string> question{"--target",
                                          "1000",
                                          "--max-global-batch",
                                          "1024",
                                          "--platforms",
                                          "dgx_a100,dgx1_p100",
                                          "--price",
                                          "dgx_a100=32 USD/h, spot, 2026-11-23, a test"};
  const test::Said said = call(question);
  for (const char* part : {"32.00 USD/h", "no price", "2026-11-23, a test", "costs the least by the hour"})
    EXPECT_NE(said.results.find(part), std::string::npos) << part << "\n" << said.results;
  std::vector<std::string> two = question;
  two.insert(two.end(), {"--price", "dgx1_p100=7 EUR/h"});
  refused(two, "prices in EUR and USD are never compared");
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
  const test::Said said =
      call({"--target", "1", "--max-global-batch", "64", "--platforms", "dgx_h100,laptop_rtx3060,dgx1_p100",
            "--set", "model=bert_large", "--set", "training.per_replica_batch=1", "--set",
            "platform=laptop_rtx3060", "--set", "training.optimizer=adam"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_NE(said.results.find("Not possible:\n  laptop_rtx3060"), std::string::npos) << said.results;
}

}  // namespace
}  // namespace wt
