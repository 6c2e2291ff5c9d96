// Claims: `time.collectives` expanded and folded are one time; what can't be folded is refused with the reason.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::number_at;
using test::Said;

class Folded : public test::ScenarioRuns {
 protected:
  // Squares of 48 inputs: 2,304 gradients, in equal chunks for every number of workers here.
  Said run(int workers, int devices, const std::string& collectives,
           const std::vector<std::string>& overrides = {}) const {
    const std::string text = fmt::format(
        R"({{"name": "a dense step", "platform": {{"virtual": {{"devices": {}, "workers": {}}}}},)"
        R"( "strategy": {{"type": "multi_worker_mirrored", "communication": "nccl", "algorithm": "ring"}},)"
        R"( "model": {},)"
        R"( "dataset": {{"type": "constant", "x": [{}], "y": [{}], "rows": 192, "autoshard": "data"}},)"
        R"( "training": {{"loop": "fit", "loss": "mse", "optimizer": "SGD", "per_replica_batch": 4}},)"
        R"( "numerics": "none", "time": {{"collectives": "{}"}}, "seed": 1}})",
        workers * devices, workers, dense("false"), ones(48), ones(48), collectives);
    return run_text(text, "out", overrides);
  }
  static std::string dense(const std::string& use_bias) {
    return fmt::format(R"({{"name": "dense", "layers": [{{"class_name": "Dense", "config": {{"units": 48, )"
                       R"("use_bias": {}, "batch_input_shape": [null, 48]}}}}]}})",
                       use_bias);
  }
  double step_time() const { return number_at(results("out"), {"simulated", "step_time_s"}); }

 private:
  static std::string ones(int count) {
    std::string text = "1";
    for (int i = 1; i < count; ++i) text += ", 1";
    return text;
  }
};

// The loss, too, which replica 0 alone keeps, is brought together at the same time.
TEST_F(Folded, AndExpandedAreOneTime) {
  for (const auto& [workers, devices] :
       {std::pair(2, 2), {4, 2}, {8, 2}, {2, 3}, {3, 4}, {3, 1}, {4, 1}, {8, 1}}) {
    const Said expanded = run(workers, devices, "expanded");
    ASSERT_EQ(expanded.exit, cli::Exit::done) << expanded.messages;
    EXPECT_FALSE(has(expanded.results, "folded: ")) << expanded.results;
    const double all = step_time();
    const Said folded = run(workers, devices, "folded");
    ASSERT_EQ(folded.exit, cli::Exit::done) << folded.messages;
    EXPECT_TRUE(has(folded.results, fmt::format("folded: 1 of {} tasks", workers))) << folded.results;
    EXPECT_NEAR(step_time(), all, 1e-9 * all) << workers << " x " << devices;
  }
}

// Each pack begins as soon as its gradients are there, and the packs follow each other on one stream.
TEST_F(Folded, PacksAndExpandedOnesAreOneTime) {
  const std::vector<std::string> packs{
      R"(strategy={"type": "multi_worker_mirrored", "algorithm": "ring",
                   "communication_options": {"implementation": "nccl", "bytes_per_pack": "1 KiB"}})",
      R"(model={"name": "two", "layers": [
           {"class_name": "Dense", "config": {"units": 48, "use_bias": false, "batch_input_shape": [null, 48]}},
           {"class_name": "Dense", "config": {"units": 48, "use_bias": false}}]})"};
  for (const int workers : {2, 4, 8}) {
    const Said expanded = run(workers, 2, "expanded", packs);
    ASSERT_EQ(expanded.exit, cli::Exit::done) << expanded.messages;
    const double all = step_time();
    const Said folded = run(workers, 2, "folded", packs);
    ASSERT_EQ(folded.exit, cli::Exit::done) << folded.messages;
    EXPECT_NEAR(step_time(), all, 1e-9 * all) << workers;
  }
}

TEST_F(Folded, IsRefusedWithTheReason) {
  const auto refused = [&](int workers, const std::vector<std::string>& overrides,
                           const std::string& reason) {
    const Said said = run(workers, 2, "folded", overrides);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << reason;
    EXPECT_TRUE(has(said.messages, reason)) << said.messages;
    EXPECT_TRUE(has(said.messages, "\"folded\"")) << said.messages;  // its place
    EXPECT_EQ(run(workers, 2, "auto", overrides).exit, cli::Exit::done) << reason;
  };
  refused(2, {"numerics=cpu"}, "can't be folded: numbers need every replica");
  refused(2, {R"(strategy={"type": "mirrored"})", "platform.virtual.workers=1"},
          "can't be folded: its replicas are one process");
  refused(1, {}, "can't be folded: there is one task");
  refused(2, {R"(training={"loop": "fit", "loss": "mse", "optimizer": "SGD", "global_batch": 6})"},
          "can't be folded: replicas have different numbers of rows");
  // 49 x 48 values are not divided evenly among 10; TensorFlow's own chunks are never equal.
  refused(5, {"model=" + dense("true")}, "no two rounds of its collectives");
  refused(2, {R"(strategy={"type": "multi_worker_mirrored", "communication": "ring"})"},
          "no two rounds of its collectives");
}

// 2 x 1,199 rounds of 1,200 moves.
TEST_F(Folded, ExpandedIsRefusedBeyondTheBudgetWithTheCount) {
  const Said said = run(600, 2, "expanded");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "ring of 1200 ranks makes more than 2500000 moves, too many"))
      << said.messages;
  EXPECT_EQ(run(600, 2, "folded").exit, cli::Exit::done);
}

TEST_F(Folded, WithoutAPlatformThereIsNothingToFold) {
  const Said said = call({"run", test::scenario_file("linear_fit"), "--set", "time.collectives=folded"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "without a platform nothing is timed")) << said.messages;
}

TEST_F(Folded, AWordOfItsOwnIsSuggested) {
  EXPECT_TRUE(has(run(2, 2, "foldde").messages, "did you mean \"folded\"? known: auto, expanded, folded"));
}

}  // namespace
}  // namespace wt
