// Claims: a scenario trains on a platform of unlike machines from the command line. A step of workers with unlike
// GPUs takes as long as that of the slower ones, in either order; nothing of it is folded; numbers don't depend
// on the machines. Parameter servers and a chief have machines and names of their own. What TensorFlow's workers
// can't do together, and what no price is known for, is refused at its place.

#include <gtest/gtest.h>

#include "cli/scenario_runs.h"
#include "scenario/build.h"
#include "scenario/expenses.h"
#include "scenario/machine.h"
#include "scenario/parse.h"

namespace wt {
namespace {

using test::has;
using test::number_at;

const std::string frame = R"({
  "name": "unlike", "model": "mlp", "dataset": {"type": "synthetic", "rows": 256},
  "platform": {"machines": [{"file": "dgx1_v100"}, {"file": "dgx1_p100"}], "network": {"type": "switch"}},
  "strategy": {"type": "multi_worker_mirrored", "communication": "nccl"},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "global_batch": 64}, "seed": 2
})";

std::string machines(const std::string& list) {
  return "platform={\"machines\": [" + list + "], \"network\": {\"type\": \"switch\"}}";
}
const std::string servers_too =
    machines(R"({"file": "dgx1_p100", "count": 2}, {"file": "cpu_server", "count": 3})");

scenario::Scenario with(std::vector<std::string> overrides) {
  return scenario::parse(frame, "unlike.json", overrides);
}

class UnlikeMachines : public test::ScenarioRuns {
 protected:
  double step(const std::string& list) const {
    const test::Said said = run_text(frame, "out",
                                     {"numerics=none", "model=resnet50", "training.global_batch=512",
                                      "dataset.rows=1024", machines(list)});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    is_folded_ = has(said.results, "folded: 1 of 2 tasks");
    return number_at(results("out"), {"simulated", "step_time_s"});
  }
  mutable bool is_folded_ = false;
};

TEST_F(UnlikeMachines, TakeAsLongAsTheSlowerOnes) {
  const double pascal = step(R"({"file": "dgx1_p100", "count": 2})");
  EXPECT_TRUE(is_folded_);
  const double volta = step(R"({"file": "dgx1_v100", "count": 2})");
  EXPECT_TRUE(is_folded_);
  const double both = step(R"({"file": "dgx1_v100"}, {"file": "dgx1_p100"})");
  EXPECT_FALSE(is_folded_);
  EXPECT_LT(volta, 0.7 * pascal);
  EXPECT_NEAR(both, pascal, 0.005 * pascal);
  EXPECT_NEAR(step(R"({"file": "dgx1_p100"}, {"file": "dgx1_v100"})"), both, 1e-3 * both);
  EXPECT_FALSE(is_folded_);
}

// One machine of a list, and machines of one file in two entries, are the plain ones.
TEST_F(UnlikeMachines, OfOneFileAreThePlainOnes) {
  const double one = step(R"({"file": "dgx1_v100"})");
  const double three = step(R"({"file": "dgx1_v100"}, {"file": "dgx1_v100", "count": 2})");
  const auto plain = [&](const std::string& count) {
    run_text(frame, "plain",
             {"numerics=none", "model=resnet50", "training.global_batch=512", "dataset.rows=1024",
              R"(platform={"file": "dgx1", "set": {"machines": )" + count + "}}"});
    return number_at(results("plain"), {"simulated", "step_time_s"});
  };
  EXPECT_EQ(one, plain("1"));
  EXPECT_NEAR(three, plain("3"), 1e-4 * three);
}

TEST_F(UnlikeMachines, ComputeTheSameNumbers) {
  std::vector<double> losses;
  for (const std::string list :
       {R"({"file": "dgx1_v100"}, {"file": "dgx1_p100"})", R"({"file": "dgx1_p100", "count": 2})"}) {
    const test::Said said = run_text(frame, "numbers", {"strategy.communication=ring", machines(list)});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    losses.push_back(number_at(results("numbers").find("epochs")->elements()[0], {"loss"}));
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST_F(UnlikeMachines, AreNotedBecauseSomeFiguresAreOfOneDevice) {
  const test::Said said = run_text(frame, "noted", {"numerics=none"});
  EXPECT_TRUE(has(said.messages,
                  "replicas compute on v100_sxm2_16 and p100_sxm2: a step takes as long as the slowest"))
      << said.messages;
}

TEST_F(UnlikeMachines, G16_ServersHaveMachinesAndNamesOfTheirOwn) {
  const cluster::Machine machine =
      scenario::build_machine(with({"numerics=none", servers_too, R"(cluster={"worker": 2, "ps": 2})"}));
  const platform::Platform& platform = *machine.platform;
  ASSERT_EQ(machine.replicas.size(), 16u);
  EXPECT_EQ(platform.name(machine.endpoint("/job:ps/replica:0/task:0/device:CPU:0")), "machine 2/host 0");
  EXPECT_EQ(platform.name(machine.endpoint("/job:ps/replica:0/task:1/device:CPU:0")), "machine 3/host 0");
  EXPECT_EQ(platform.name(machine.endpoint("/job:worker/replica:0/task:1/device:GPU:7")), "machine 1/gpu 7");
  ASSERT_TRUE(machine.cluster.has_value());
  EXPECT_EQ(cluster::services(*machine.cluster).size(), 2u);
}

// A chief of its own leads: MultiWorkerMirrored trains on it, so it needs as many devices as the workers.
TEST_F(UnlikeMachines, NeedEquallyManyDevicesOfOneKindToTrainTogether) {
  const test::Said chief = run_text(
      frame, "chief", {"numerics=none", servers_too, R"(cluster={"worker": 2, "ps": 2, "chief": 1})"});
  EXPECT_EQ(chief.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(chief.messages,
                  "chief:0 has 1 CPU, and worker:0 has 8 GPUs: TensorFlow's workers have equally many"))
      << chief.messages;
  const test::Said all = run_text(frame, "all", {"numerics=none", servers_too});
  EXPECT_TRUE(has(all.messages, "worker:0 has 8 GPUs, and worker:2 has 1 CPU")) << all.messages;
  EXPECT_TRUE(has(all.messages, R"(as in "cluster": {"worker": 2})")) << all.messages;
  const std::string unequal = machines(R"({"file": "dgx1_v100", "devices": 4}, {"file": "dgx1_p100"})");
  EXPECT_EQ(run_text(frame, "four", {"numerics=none", unequal}).exit, cli::Exit::input_wrong);
  const std::string equal =
      machines(R"({"file": "dgx1_v100", "devices": 4}, {"file": "dgx1_p100", "devices": 4})");
  EXPECT_EQ(run_text(frame, "four", {"numerics=none", equal}).exit, cli::Exit::done);
}

TEST_F(UnlikeMachines, HaveNoPriceTogether) {
  const std::string price = "cost.prices.platform=10 USD/h";
  const test::Said said =
      run_text(frame, "priced", {"numerics=none", servers_too, price, R"(cluster={"worker": 2, "ps": 1})"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "the job takes machines of 2 kinds")) << said.messages;
  // Machines that the job leaves alone cost nothing.
  const scenario::Scenario alone = with({"numerics=none", servers_too, price, R"(cluster={"worker": 2})"});
  const cost::Rented rented = scenario::rented_by(alone, scenario::build_machine(alone));
  EXPECT_EQ(rented.machines, 2);
  EXPECT_EQ(rented.chips, 16);
}

// Two DGX-1 of 8 P100 and 2 sockets each, and a server of 2 sockets, one of which is the device CPU:0.
TEST_F(UnlikeMachines, TakeThePowerOfEach) {
  const scenario::Scenario both = with({"numerics=none", servers_too, R"(cluster={"worker": 2, "ps": 1})"});
  const cluster::Machine machine = scenario::build_machine(both);
  const platform::Platform& platform = *machine.platform;
  const double gpu = platform.type(platform.device(0)).power->power.count();
  const double host = platform.type(platform.host(0)).power->power.count();
  const double server = platform.type(platform.host(4)).power->power.count();
  EXPECT_DOUBLE_EQ(scenario::rented_by(both, machine).power->count(), 2 * (8 * gpu + 2 * host) + 2 * server);
}

TEST_F(UnlikeMachines, DontGrowByThemselves) {
  const std::string file = base_.write("grown.json", frame).string();
  const test::Said said = test::call({"run", file, "--set", "numerics=none", "--replicas", "32"});
  EXPECT_TRUE(has(said.messages, "32 replicas: the platform's machines are unlike")) << said.messages;
}

TEST_F(UnlikeMachines, AreChosenFor) {
  const test::Said said =
      run_text(frame, "auto",
               {"numerics=none", servers_too, R"(strategy="auto")", R"(cluster={"worker": 2, "ps": 2})"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages, "there are 5 machines, the first with 8 devices")) << said.messages;
}

TEST_F(UnlikeMachines, AreRanksOfACollectiveWithAWarning) {
  const std::string file = std::string(WT_TEST_DATA) + "/platform/data/gpus_and_servers.json";
  const auto collective = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"collective", "--platform", file, "-b", "1M", "-e", "1M"});
    const test::Said said = test::call(more);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return said.messages;
  };
  EXPECT_TRUE(has(collective({}), "the ranks are devices of several kinds"));
  EXPECT_FALSE(has(collective({"--ranks", "16"}), "several kinds"));
}

}  // namespace
}  // namespace wt
