// Claims: every synchronous strategy trains as the reference's one device did; where rounding leads a run
// elsewhere, one device goes there too when its first weights are moved by an ulp; a wrong strategy goes where
// none of these do. All ways are a command: verify strategies --oracles tests/oracle.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/command.h"
#include "device/cpu/cpu_queue.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "study/evidence/neighbours.h"
#include "study/evidence/strategy_ways.h"
#include "tensor/difference.h"

namespace wt {
namespace {

class StrategyOracles : public testing::Test {
 protected:
  static evidence::Oracle oracle(const std::string& name) {
    return evidence::read_oracle(std::filesystem::path(WT_TEST_DATA) / "oracle" / name);
  }
  session::Rehearsal run(const evidence::Oracle& oracle, const evidence::StrategyWay& way) {
    return session::rehearse(oracle.scenario, oracle.job, {way.lower, queues_, way.input}, {});
  }
  // Instruction sets round differently, so any way may be the one that meets a tie.
  void expect_right(const evidence::Oracle& oracle, const evidence::StrategyWay& way) {
    SCOPED_TRACE(oracle.name + ": " + way.strategy + ", " + way.reduction);
    const session::Rehearsal rehearsal = run(oracle, way);
    const evidence::Deviation found = evidence::deviation(rehearsal, oracle.losses, oracle.weights);
    EXPECT_LE(found.loss, evidence::allowed_loss);
    if (!found.is_within()) {
      EXPECT_TRUE(evidence::Neighbours(evidence::standard_of(oracle, queues_)).followed_by(rehearsal))
          << found.tensor << " " << found.weight;
    }
  }

  device::Workers workers_{1};
  device::CpuQueue queue_{workers_};
  execute::Queues queues_{queue_};
};

evidence::StrategyWay way_called(const std::string& reduction, int replicas) {
  const std::vector<evidence::StrategyWay> ways = evidence::strategy_ways(replicas);
  return *std::ranges::find(ways, reduction, &evidence::StrategyWay::reduction);
}

TEST_F(StrategyOracles, ASeededPartOfAllWaysTrainsAsTheReferenceDid) {
  std::mt19937_64 random(7);
  for (const std::string name : {"linear_sgd", "mlp_momentum", "mlp_uneven", "fashion_cnn_adam"}) {
    const evidence::Oracle reference = oracle(name);
    for (const int replicas : {2, 3, 4, 5, 8}) {
      const std::vector<evidence::StrategyWay> ways = evidence::strategy_ways(replicas);
      expect_right(reference, ways[random() % ways.size()]);
    }
  }
}

// tests/oracle/README.md tells the window. Both ways were seen to meet it, on different processors.
TEST_F(StrategyOracles, WhereAPoolingWindowIsTiedOneDeviceAnUlpAsideGoesTheSameWay) {
  const evidence::Oracle reference = oracle("fashion_cnn_adam");
  expect_right(reference, way_called("NcclAllReduce, 2 packs", 5));
  expect_right(reference, way_called("NCCL: multi_rail", 8));
}

// TensorFlow's hierarchical copy loses the third device's gradients (tf_distribute.md F7).
TEST_F(StrategyOracles, ARunThatLosesADeviceIsNearNoRunOfOneDevice) {
  const evidence::Oracle reference = oracle("mlp_momentum");
  evidence::StrategyWay way = way_called("hierarchical copy, mended", 3);
  const std::vector<strategy::Place> devices{
      {.device = {.name = "GPU:0"}, .host = plan::Device{.name = "CPU:0"}},
      {.device = {.name = "GPU:1"}, .host = plan::Device{.name = "CPU:0"}},
      {.device = {.name = "GPU:2"}, .host = plan::Device{.name = "CPU:0"}}};
  way.lower = [devices](strategy::Steps steps) {
    return strategy::lower_mirrored(steps, devices,
                                    {.cross_device_ops = strategy::CrossDeviceOps::hierarchical_copy});
  };
  const session::Rehearsal wrong = run(reference, way);
  EXPECT_FALSE(evidence::deviation(wrong, reference.losses, reference.weights).is_within());
  EXPECT_FALSE(evidence::Neighbours(evidence::standard_of(reference, queues_)).followed_by(wrong));
}

TEST_F(StrategyOracles, NoNumberIsNeverWithinWhatIsAllowed) {
  const evidence::Oracle reference = oracle("linear_sgd");
  const session::Rehearsal good = run(reference, evidence::strategy_ways(1).front());
  ASSERT_TRUE(evidence::deviation(good, reference.losses, reference.weights).is_within());
  session::Rehearsal bad = good;
  bad.steps.front().loss = std::nan("");
  EXPECT_FALSE(evidence::deviation(bad, reference.losses, reference.weights).is_within());
  bad = good;
  Tensor& weight = bad.weights.begin()->second;
  weight = weight.copy();
  weight.values<float>()[0] = std::nanf("");
  EXPECT_FALSE(evidence::deviation(bad, reference.losses, reference.weights).is_within());
  EXPECT_FALSE(evidence::Neighbours(evidence::standard_of(reference, queues_)).followed_by(bad));
}

// What neighbours of a scenario without given weights start from.
TEST_F(StrategyOracles, FirstWeightsAreThoseThatTheTrainingStartsFrom) {
  const evidence::Oracle reference = oracle("fashion_cnn_adam");
  scenario::Job job = reference.job;
  job.initial_weights.clear();
  const auto trained = [&] {
    const auto on_one_device = [](strategy::Steps steps) {
      return strategy::lower_default(*steps.front(), {"device"});
    };
    return session::rehearse(reference.scenario, job, {on_one_device, queues_}, 2);
  };
  const session::Rehearsal drawn = trained();
  job.initial_weights = session::first_weights(reference.scenario, job);
  EXPECT_EQ(job.initial_weights.size(), reference.job.initial_weights.size());
  const session::Rehearsal given = trained();
  EXPECT_EQ(session::losses_of(given), session::losses_of(drawn));
  for (const auto& [name, tensor] : drawn.weights)
    EXPECT_EQ(relative_difference(given.weights.at(name), tensor), 0) << name;
}

TEST_F(StrategyOracles, TheCommandTellsWhatAllWaysOfTwoReplicasComeTo) {
  const test::Said said =
      test::call({"verify", "strategies", "--oracles", std::string(WT_TEST_DATA) + "/oracle", "--replicas",
                  "2", "--only", "central_storage"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.results << said.messages;
  EXPECT_NE(said.results.find("allowed 1e-05 1e-04: all within"), std::string::npos) << said.results;
}

}  // namespace
}  // namespace wt
