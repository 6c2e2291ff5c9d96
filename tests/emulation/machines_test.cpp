// Claim: steps on several GPUs have the bits of one, whatever the order in which the machine runs the work, and
// whether or not its GPUs reach each other; and at the end everything is given back.

#include <gtest/gtest.h>

#include "cuda/gpu.h"
#include "emulation/machine.h"

namespace wt {
namespace {

class Machines : public testing::TestWithParam<std::tuple<bool, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(StagedAndSeed, Machines, testing::Combine(testing::Bool(), testing::Range(0u, 6u)));

TEST_P(Machines, GiveTheSameBitsAndEverythingBack) {
  const auto [is_staged, seed] = GetParam();
  emulation::Description description{.gpus = 3, .memory = std::size_t{64} << 20, .seed = seed};
  if (is_staged) description.staged = {{0, 1}, {1, 0}};
  const emulation::Machine machine(description);
  {
    const test::Training made = test::training(
        *model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), 4, "sgd");
    const plan::Plan plan = test::mirrored(made.step, 3);
    const test::Values given = test::starting_values(made);
    const test::SeveralStreams several(device::find_cuda_devices().found);
    EXPECT_EQ(several.team().staged.size(), is_staged ? 2u : 0u);
    device::CudaQueue one(test::first_gpu());
    const test::Values expected = test::run_on(one, plan, given, 3);
    EXPECT_TRUE(test::same_bits(test::run_on(several.queues(), plan, given, 3), expected));
  }
  EXPECT_EQ(machine.things(), 0u);
}

}  // namespace
}  // namespace wt
