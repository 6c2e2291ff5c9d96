// Claims: every synchronous strategy trains as the reference's one device did; where rounding leads a run
// elsewhere, one device goes there too when its first weights are moved by an ulp; a wrong strategy goes where
// none of these do. All ways are a command: verify strategies --oracles tests/oracle.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/command.h"
#include "cli/neighbours.h"
#include "cli/strategy_ways.h"
#include "device/cpu/cpu_queue.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "tensor/difference.h"

namespace wt {
namespace {

class StrategyOracles : public testing::Test {
 protected:
  static Oracle oracle(const std::string& name) {
    return read_oracle(std::filesystem::path(WT_TEST_DATA) / "oracle" / name);
  }
  Rehearsal run(const Oracle& oracle, const StrategyWay& way) {
    return rehearse(oracle.scenario, oracle.job, way.lower, way.input, queue_, {});
  }
  // Instruction sets round differently, so any way may be the one that meets a tie.
  void expect_right(const Oracle& oracle, const StrategyWay& way) {
    SCOPED_TRACE(oracle.name + ": " + way.strategy + ", " + way.reduction);
    const Rehearsal rehearsal = run(oracle, way);
    const Deviation found = deviation(rehearsal, oracle.losses, oracle.weights);
    EXPECT_LE(found.loss, allowed_loss);
    if (!found.is_within()) {
      EXPECT_TRUE(Neighbours(standard_of(oracle, queue_)).followed_by(rehearsal))
          << found.tensor << " " << found.weight;
    }
  }

  device::Workers workers_{1};
  device::CpuQueue queue_{workers_};
};

StrategyWay way_called(const std::string& reduction, int replicas) {
  const std::vector<StrategyWay> ways = strategy_ways(replicas);
  return *std::ranges::find(ways, reduction, &StrategyWay::reduction);
}

TEST_F(StrategyOracles, ASeededPartOfAllWaysTrainsAsTheReferenceDid) {
  std::mt19937_64 random(7);
  for (const std::string name : {"linear_sgd", "mlp_momentum", "mlp_uneven", "fashion_cnn_adam"}) {
    const Oracle reference = oracle(name);
    for (const int replicas : {2, 3, 4, 5, 8}) {
      const std::vector<StrategyWay> ways = strategy_ways(replicas);
      expect_right(reference, ways[random() % ways.size()]);
    }
  }
}

// tests/oracle/README.md tells the window. Both ways were seen to meet it, on different processors.
TEST_F(StrategyOracles, WhereAPoolingWindowIsTiedOneDeviceAnUlpAsideGoesTheSameWay) {
  const Oracle reference = oracle("fashion_cnn_adam");
  expect_right(reference, way_called("NcclAllReduce, 2 packs", 5));
  expect_right(reference, way_called("NCCL: multi_rail", 8));
}

// TensorFlow's hierarchical copy loses the third device's gradients (tf_distribute.md F7).
TEST_F(StrategyOracles, ARunThatLosesADeviceIsNearNoRunOfOneDevice) {
  const Oracle reference = oracle("mlp_momentum");
  StrategyWay way = way_called("hierarchical copy, mended", 3);
  const std::vector<strategy::Place> devices{
      {.device = {.name = "GPU:0"}, .host = plan::Device{.name = "CPU:0"}},
      {.device = {.name = "GPU:1"}, .host = plan::Device{.name = "CPU:0"}},
      {.device = {.name = "GPU:2"}, .host = plan::Device{.name = "CPU:0"}}};
  way.lower = [devices](strategy::Steps steps) {
    return strategy::lower_mirrored(steps, devices,
                                    {.cross_device_ops = strategy::CrossDeviceOps::hierarchical_copy});
  };
  const Rehearsal wrong = run(reference, way);
  EXPECT_FALSE(deviation(wrong, reference.losses, reference.weights).is_within());
  EXPECT_FALSE(Neighbours(standard_of(reference, queue_)).followed_by(wrong));
}

TEST_F(StrategyOracles, NoNumberIsNeverWithinWhatIsAllowed) {
  const Oracle reference = oracle("linear_sgd");
  const Rehearsal good = run(reference, strategy_ways(1).front());
  ASSERT_TRUE(deviation(good, reference.losses, reference.weights).is_within());
  Rehearsal bad = good;
  bad.steps.front().loss = std::nan("");
  EXPECT_FALSE(deviation(bad, reference.losses, reference.weights).is_within());
  bad = good;
  Tensor& weight = bad.weights.begin()->second;
  weight = weight.copy();
  weight.values<float>()[0] = std::nanf("");
  EXPECT_FALSE(deviation(bad, reference.losses, reference.weights).is_within());
  EXPECT_FALSE(Neighbours(standard_of(reference, queue_)).followed_by(bad));
}

// What neighbours of a scenario without given weights start from.
TEST_F(StrategyOracles, FirstWeightsAreThoseThatTheTrainingStartsFrom) {
  const Oracle reference = oracle("fashion_cnn_adam");
  scenario::Job job = reference.job;
  job.initial_weights.clear();
  const auto trained = [&] {
    const auto on_one_device = [](strategy::Steps steps) {
      return strategy::lower_default(*steps.front(), {"device"});
    };
    return rehearse(reference.scenario, job, on_one_device, {}, queue_, 2);
  };
  const Rehearsal drawn = trained();
  job.initial_weights = first_weights(reference.scenario, job);
  EXPECT_EQ(job.initial_weights.size(), reference.job.initial_weights.size());
  const Rehearsal given = trained();
  EXPECT_EQ(losses_of(given), losses_of(drawn));
  for (const auto& [name, tensor] : drawn.weights)
    EXPECT_EQ(relative_difference(given.weights.at(name), tensor), 0) << name;
}

TEST_F(StrategyOracles, TheCommandTellsWhatAllWaysOfTwoReplicasComeTo) {
  const test::Said said =
      test::call({"verify", "strategies", "--oracles", std::string(WT_TEST_DATA) + "/oracle", "--replicas",
                  "2", "--only", "central_storage"});
  EXPECT_EQ(said.exit, Exit::done) << said.results << said.messages;
  EXPECT_NE(said.results.find("allowed 1e-05 1e-04: all within"), std::string::npos) << said.results;
}

}  // namespace
}  // namespace wt
