// Claim: whole training steps that go to a GPU come out as on the CPU: every node of a plan finds its kernel, its
// workspace and its place, in a graph or one by one.

#include <gtest/gtest.h>

#include "device/cpu/cpu_queue.h"
#include "device/cuda/cuda_queue.h"
#include "execute/fusion.h"
#include "execute/measure.h"
#include "strategy/mirrored.h"
#include "support/training_step.h"
#include "support/two_queues.h"

namespace wt {
namespace {

using test::run_on;

class WholeSteps : public testing::Test {
 protected:
  device::CudaQueue gpu_;
  device::Workers workers_{1};
  device::CpuQueue cpu_{workers_};
};

// SGD: Adam divides by what may be nothing but rounding.
TEST_F(WholeSteps, TrainEverySmallModelAsTheCpuDoes) {
  for (const model::ZooChoice& choice : test::small_models()) {
    SCOPED_TRACE(choice.model->name);
    const test::Training made = test::training(*choice.build(), 2, "sgd");
    const plan::Plan plan = strategy::lower_default(made.step, {"/device:GPU:0"});
    const test::Values given = test::starting_values(made), ours = run_on(gpu_, plan, given, 2);
    EXPECT_LT(test::difference(ours, run_on(cpu_, plan, given, 2)), 1e-4);
    EXPECT_TRUE(test::same_bits(run_on(gpu_, plan, given, 2, test::Launching::one_by_one), ours));
  }
}

// One step has fused launches among its own, the other none.
TEST_F(WholeSteps, AreFusedWithoutChangingABit) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 2, "sgd");
  const plan::Plan plan = strategy::lower_default(made.step, {"/device:GPU:0"});
  ASSERT_FALSE(execute::fusions_of(plan).empty());
  const test::Values given = test::starting_values(made);
  EXPECT_TRUE(test::same_bits(run_on(gpu_, plan, given, 1),
                              run_on(gpu_, plan, given, 1, test::Launching::one_by_one)));
}

TEST_F(WholeSteps, AreMeasuredCallByCall) {
  const test::Training made =
      test::training(*model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), 2);
  const plan::Plan plan = strategy::lower_default(made.step, {"/device:GPU:0"});
  const execute::Measured found =
      execute::measure(plan, plan::DeviceId{0}, {}, gpu_, {.at_least = 3, .at_most = 3});
  for (const plan::Node& node : plan.nodes)
    EXPECT_TRUE(found.kernels.contains(call_of(plan, node))) << call_of(plan, node);
  EXPECT_EQ(found.rounds, 3);
}

TEST_F(WholeSteps, ReduceOverReplicasAsTheCpuDoes) {
  const test::Training made = test::training(
      *model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), 2, "sgd");
  std::vector<strategy::Place> places;
  for (int i = 0; i < 3; ++i)
    places.push_back({.device = {.name = fmt::format("/device:GPU:{}", i)},
                      .host = plan::Device{.name = "/device:CPU:0"}});
  const std::vector<const Step*> steps(places.size(), &made.step);
  const plan::Plan plan = strategy::lower_mirrored(steps, places);
  const test::Values given = test::starting_values(made);
  EXPECT_LT(test::difference(run_on(gpu_, plan, given, 3), run_on(cpu_, plan, given, 3)), 1e-5);
}

}  // namespace
}  // namespace wt
