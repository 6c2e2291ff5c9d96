// Claims: `time.collectives` expanded and folded are one time where all replicas do the same at the same time; elsewhere
// auto is the time of expanded, and folded differs by less than the step waits for its collectives; what can't be folded is
// refused with the reason.

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
  double memory() const {
    return number_at(results("out").find("planned")->find("memory")->elements().front(), {"arena_bytes"});
  }
  double exposed() const { return number_at(results("out"), {"simulated", "exposed_communication_s"}); }

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

// A plan that plays every message gives what arrives an address, and a whole collective doesn't know it: it is the
// memory of the library, and no part of the framework's. The gradients are most of what these devices hold.
TEST_F(Folded, AndExpandedNeedTheSameMemory) {
  for (const char* algorithm : {"ring", "tree"})
    for (const int workers : {2, 3, 8}) {
      const std::vector<std::string> overrides{fmt::format("strategy.algorithm={}", algorithm),
                                               "training.per_replica_batch=1"};
      ASSERT_EQ(run(workers, 1, "expanded", overrides).exit, cli::Exit::done);
      const double all = memory();
      ASSERT_EQ(run(workers, 1, "folded", overrides).exit, cli::Exit::done);
      EXPECT_EQ(memory(), all) << workers << " " << algorithm;
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
  for (const int workers : {2, 4, 8})
    for (const char* overlap : {"strategy.overlap=null", "strategy.overlap=false"}) {
      std::vector<std::string> overrides = packs;
      overrides.emplace_back(overlap);
      const Said expanded = run(workers, 2, "expanded", overrides);
      ASSERT_EQ(expanded.exit, cli::Exit::done) << expanded.messages;
      const double all = step_time();
      const Said folded = run(workers, 2, "folded", overrides);
      ASSERT_EQ(folded.exit, cli::Exit::done) << folded.messages;
      EXPECT_NEAR(step_time(), all, 1e-9 * all) << workers << " " << overlap;
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
}

// Replicas that get ready one after the other, or whose pieces are unequal: 49 x 48 values are not divided evenly among
// 10 replicas, and TensorFlow's own chunks are never equal.
TEST_F(Folded, BoundsWhatAutoHasExactly) {
  const std::string bias = "model=" + dense("true");
  const std::string ring = R"(strategy={"type": "multi_worker_mirrored", "communication": "ring"})";
  const std::string slow = R"(faults=[{"slow": "worker:1", "factor": 3, "from_step": 0}])";
  const std::vector<std::vector<std::string>> ways{{bias},
                                                   {ring},
                                                   {bias, ring},
                                                   {"time.jitter=0.1", "time.steps=20"},
                                                   {ring, "time.jitter=0.1", "time.steps=20"},
                                                   {slow},
                                                   {ring, slow}};
  int longer = 0;
  for (const int workers : {2, 3, 5, 8})
    for (const std::vector<std::string>& overrides : ways) {
      ASSERT_EQ(run(workers, 2, "expanded", overrides).exit, cli::Exit::done);
      const double all = step_time(), exposed_of_all = exposed();
      const Said small = run(workers, 2, "auto", overrides);
      EXPECT_FALSE(has(small.results, "folded: ")) << small.results;
      EXPECT_EQ(step_time(), all) << workers << overrides.front();
      EXPECT_EQ(exposed(), exposed_of_all) << workers << overrides.front();
      const Said folded = run(workers, 2, "folded", overrides);
      ASSERT_EQ(folded.exit, cli::Exit::done) << folded.messages;
      EXPECT_TRUE(has(folded.results, "each collective begins with the last")) << folded.results;
      EXPECT_NEAR(step_time(), all, exposed()) << workers << overrides.front();
      if (step_time() > all * (1 + 1e-9)) ++longer;
    }
  EXPECT_GE(longer, 4);  // else nothing shows that it is a bound
}

// A plan of all replicas would be too large: 64 x 2 are simulated by those of one task, and the results say so.
TEST_F(Folded, IsWhatAutoTakesForManyReplicas) {
  const Said many = run(64, 2, "auto");
  ASSERT_EQ(many.exit, cli::Exit::done) << many.messages;
  EXPECT_TRUE(has(many.results, "folded: 1 of 64 tasks, each collective begins with the last replica"))
      << many.results;
  const double time = step_time();
  ASSERT_EQ(run(64, 2, "folded").exit, cli::Exit::done);
  EXPECT_EQ(step_time(), time);
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
