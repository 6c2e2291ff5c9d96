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
  EXPECT_NE(said.messages.find("NCCL wants a GPU for each of the 2 replicas, and CUDA finds 1"),
            std::string::npos)
      << said.messages;
}

TEST_F(ScenariosOnGpus, RefuseWhatTheirGpusCannotHold) {
  const emulation::Machine machine({.gpus = 2, .memory = std::size_t{128} << 20});
  const Said said = run("small", {"numerics=cuda", "dataset.rows=65536", "training.per_replica_batch=32768"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.messages;
  EXPECT_NE(said.messages.find("the replicas don't fit into this machine's GPUs"), std::string::npos)
      << said.messages;
}

}  // namespace
}  // namespace wt::test
