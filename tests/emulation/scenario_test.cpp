// Claim: the whole program computes on GPUs: scenarios on an emulated machine of four give the CPU's numbers, by the plan's
// sums and by NCCL's, and what its GPUs can't do is refused with place, fact and remedy.

#include <gtest/gtest.h>

#include "cli/command.h"
#include "emulation/machine.h"
#include "support/folder.h"

namespace wt::test {
namespace {

class ScenariosOnGpus : public testing::Test {
 protected:
  // Of a small model, six steps of two replicas.
  Said run(const std::string& out, const std::vector<std::string>& overrides,
           const std::string& scenario = "mirrored_small_batch") const {
    std::vector<std::string> words{"run",   scenario_file(scenario),   "--out", (base_ / out).string(),
                                   "--set", R"(model={"zoo": "mlp"})", "--set", "dataset.rows=192",
                                   "--set", "training.epochs=1"};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    return call(words);
  }
  double last_loss(const std::string& out) const {
    return number_at(results_in(base_ / out).find("epochs")->elements().back(), {"loss"});
  }

  TestFolder base_{};
};

TEST_F(ScenariosOnGpus, GiveTheCpusNumbersWhoeverAdds) {
  ASSERT_EQ(run("cpu", {}).exit, cli::Exit::done);
  for (const std::string collectives : {"planned", "nccl"}) {
    const Said said = run(collectives, {"numerics=cuda", "host.collectives=" + collectives});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_NE(said.messages.find("2 replicas compute on GPU 0"), std::string::npos) << said.messages;
    EXPECT_NEAR(last_loss(collectives) / last_loss("cpu"), 1, 1e-5) << collectives;
  }
}

TEST_F(ScenariosOnGpus, ShareAGpuWithoutNccl) {
  const emulation::Machine machine({.gpus = 1});
  EXPECT_EQ(run("shared", {"numerics=cuda"}).exit, cli::Exit::done);
  const Said said = run("nccl", {"numerics=cuda", "host.collectives=nccl"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("NCCL needs a GPU for each of the 2 replicas, and 1 of this machine computes"),
            std::string::npos)
      << said.messages;
}

TEST_F(ScenariosOnGpus, RefuseWhatTheirGpusCannotHold) {
  const emulation::Machine machine({.gpus = 2, .memory = std::size_t{128} << 20});
  const Said said = run("small", {"numerics=cuda", "dataset.rows=65536", "training.per_replica_batch=32768"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.messages;
  EXPECT_NE(said.messages.find("the replicas don't fit into this machine's GPUs, not even one at a time: "),
            std::string::npos)
      << said.messages;
}

// Under every strategy, on a laptop's GPU: all side by side, in a piece that holds one replica, and in one
// that lacks a byte for all. The numbers are float32 wherever they compute, so the TPU is asked to store them as such:
// what it needs is then what this machine's GPU needs.
TEST_F(ScenariosOnGpus, TakeTurnsInAPieceOfOneSmallGpu) {
  const emulation::Machine machine({.gpus = 1, .memory = std::size_t{256} << 20});
  const std::vector<std::pair<std::string, std::vector<std::string>>> scenarios{
      {"mirrored_small_batch", {"platform=dgx_a100", "training.per_replica_batch=4"}},
      {"central_storage_4_gpus", {"training.per_replica_batch=4"}},
      {"multi_worker_2x2", {"training.global_batch=16"}},
      {"tpu_v3_8", {"training.per_replica_batch=4", "training.precision=float32"}}};
  for (const auto& [scenario, changed] : scenarios) {
    SCOPED_TRACE(scenario);
    const auto run = [&, scenario = scenario](const std::string& out,
                                              const std::vector<std::string>& overrides) {
      return ScenariosOnGpus::run(out, overrides, scenario);
    };
    std::vector<std::string> overrides = changed;
    overrides.push_back("dataset.rows=32");
    const Said on_cpu = run("cpu", overrides);
    ASSERT_EQ(on_cpu.exit, cli::Exit::done) << on_cpu.messages;
    const NeededHere needed = needed_here(results_in(base_ / "cpu"));
    overrides.push_back("numerics=cuda");
    ASSERT_EQ(run("beside", overrides).exit, cli::Exit::done);
    EXPECT_EQ(results_in(base_ / "beside").find("turns"), nullptr);
    EXPECT_NEAR(last_loss("beside") / last_loss("cpu"), 1, 1e-5);
    for (const std::int64_t limit : {needed.largest, needed.all - 1}) {
      std::vector<std::string> cut = overrides;
      cut.push_back(fmt::format(R"(host.logical_devices=[{{"memory_limit": "{} B"}}])", limit));
      const Said said = run("turns", cut);
      ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
      EXPECT_NE(said.messages.find("replicas take turns"), std::string::npos) << said.messages;
      EXPECT_EQ(last_loss("turns"), last_loss("beside")) << limit;
    }
  }
}

// Nobody cut it: what is free of it is the limit.
TEST_F(ScenariosOnGpus, TakeTurnsOnAGpuThatIsTooSmallForAll) {
  const std::vector<std::string> overrides{"numerics=cuda", "platform=dgx_a100",
                                           "training.per_replica_batch=4"};
  ASSERT_EQ(run("large", overrides).exit, cli::Exit::done);
  const NeededHere needed = needed_here(results_in(base_ / "large"));
  const emulation::Machine machine({.gpus = 1, .memory = static_cast<std::size_t>(4 * needed.largest)});
  ASSERT_GT(needed.all, 4 * needed.largest);
  const Said said = run("small", overrides);
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_GE(results_in(base_ / "small").find("turns")->find("swaps")->integer(), 8);
  EXPECT_EQ(last_loss("small"), last_loss("large"));
}

}  // namespace
}  // namespace wt::test
