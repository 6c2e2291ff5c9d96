// Claims: a number that is too large is refused with its place and the largest one, before anything is computed;
// text that is not UTF-8 is an error of the input; what this machine has no memory for is refused with figures.

#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::Said;

class Bounds : public test::ScenarioRuns {};

struct TooMuch {
  std::string set{};
  std::string remedy{};
};

// Values that an int would take for another value.
TEST_F(Bounds, CountsHaveALargestValue) {
  for (const TooMuch& each :
       {TooMuch{"time.steps=4294967296", "it must be at most 1000000"},
        {"input={\"prefetch\": 2147483648}", "it must be at most 1000000"},
        {"host.threads=4294967296", "it must be at most 4096"},
        {"strategy={\"type\": \"mirrored\", \"cross_device_ops\": \"nccl\", \"num_packs\": 4294967296}",
         "it must be at most 1048576"},
        {"training.per_replica_batch=9223372036854775807", "it must be at most 16777216"},
        {"training.epochs=9223372036854775807", "it must be at most 1000000000000"},
        {"dataset.rows=9223372036854775807", "it must be at most 1000000000000"},
        {"dataset.repeat=9223372036854775807", "it must be at most 1000000000000"},
        {"model={\"zoo\": \"transformer\", \"layers\": 32768}", "it must be at most 1024"}}) {
    const Said said = run("quickstart", "out", {each.set});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << each.set << "\n" << said.messages;
    EXPECT_TRUE(has(said.messages, "--set:1:")) << said.messages;
    EXPECT_TRUE(has(said.messages, each.remedy)) << said.messages;
  }
}

TEST_F(Bounds, ProductsOfCountsHaveALargestValueToo) {
  const Said rows = run("quickstart", "out", {"dataset.rows=1000000000000", "dataset.repeat=1000000000000"});
  EXPECT_EQ(rows.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(rows.messages, "1000000000000 rows, 1000000000000 times each, are more than 1000000000000"))
      << rows.messages;
  const Said epochs = run("quickstart", "out", {"training.epochs=1000000000000"});
  EXPECT_EQ(epochs.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(epochs.messages, "are more than 1000000000000 steps")) << epochs.messages;
}

TEST_F(Bounds, QuantitiesAreFiniteAndPlausible) {
  for (const std::string set :
       {"input={\"decode\": \"1e-300 samples/s\"}", "input={\"storage\": \"1e18 GB/s\"}",
        "time={\"measured_step\": \"1e300 s\"}", "platform.link_speed=1e300"}) {
    const Said said = run("quickstart", "out", {set});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << set << "\n" << said.messages;
    EXPECT_TRUE(has(said.messages, "--set:1:")) << said.messages;
  }
  EXPECT_TRUE(has(run("quickstart", "out", {}, {"--threads", "5000"}).messages,
                  "--threads must be at most 4096, and it is 5000"));
  EXPECT_EQ(test::call({"collective", "--platform", "dgx_a100", "--tiny-message", "1e300 s"}).exit,
            cli::Exit::input_wrong);
}

TEST_F(Bounds, TextIsUtf8) {
  const Said said = run("quickstart", "out", {"name=caf\xe9"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "the argument \"name=caf?\" is not UTF-8")) << said.messages;
  EXPECT_EQ(test::call({"list", "\xff"}).exit, cli::Exit::input_wrong);
  EXPECT_EQ(test::call({"collective", "--platform", "\xff"}).exit, cli::Exit::input_wrong);
}

TEST_F(Bounds, ABatchThatDoesNotFitIntoThisMachineIsRefusedWithFigures) {
  const Said said = run_text(R"({
    "name": "large",
    "model": { "zoo": "mlp", "features": 1048576, "layers": 0, "classes": 2 },
    "dataset": { "type": "synthetic", "rows": 16777216 },
    "training": { "loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 16777216 }
  })",
                             "out");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.messages;
  EXPECT_TRUE(has(said.messages, ":5:")) << said.messages;
  EXPECT_TRUE(has(said.messages, " TiB of memory, and this machine has ")) << said.messages;
}

TEST_F(Bounds, AVectorOfAnAllToAllMayHaveManyRanks) {
  const Said said = test::call({"collective", "--platform", "dgx_h100", "--op", "all_to_all", "--sizes",
                                "1GiB", "--set", "machines=8192", "--algorithm", "pairwise"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.results;
  EXPECT_TRUE(has(said.messages, "chunks among 65536 ranks are more than")) << said.messages;
}

TEST_F(Bounds, MoreRanksThanAnyMachineHasAreRefusedAtOnce) {
  const Said ranks = test::call({"collective", "--platform", "dgx_h100", "--set", "machines=125000"});
  EXPECT_EQ(ranks.exit, cli::Exit::input_wrong) << ranks.results;
  EXPECT_EQ(ranks.messages,
            "1000000 ranks are too many to simulate\ntake at most 131072 of them: --ranks 131072\n");
  const Said replicas = run("multi_worker_32_dgx_a100", "out",
                            {"platform={\"file\": \"dgx_a100\", \"set\": {\"machines\": 100000}}"});
  EXPECT_EQ(replicas.exit, cli::Exit::input_wrong) << replicas.results;
  EXPECT_TRUE(has(replicas.messages, "800000 devices are too many to train on")) << replicas.messages;
}

// A pipeline among many ranks is counted before it is played.
TEST_F(Bounds, MovesAreCountedBeforeTheyAreSimulated) {
  const Said said = test::call(
      {"collective", "--platform", "dgx_h100", "--sizes", "1GiB", "--set", "machines=1024", "--expanded"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.results;
  EXPECT_TRUE(has(said.messages, "moves at once, more than 20000")) << said.messages;
}

TEST_F(Bounds, StepsOneAfterTheOtherAreCountedBeforeTheyAreSimulated) {
  const Said said = run("quickstart", "out", {"time.steps=1000000", "numerics=none"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.results;
  EXPECT_TRUE(has(said.messages, "are too many to simulate one after the other")) << said.messages;
  EXPECT_TRUE(has(said.messages, "simulate at most ")) << said.messages;
}

}  // namespace
}  // namespace wt
